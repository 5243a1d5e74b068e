/* SPDX-License-Identifier: GPL-2.0 */
/* The files types.bin and image.bin, which build/build.sh has extracted from a .btf_extra file. */
	.section .BTF, "a"
	.balign 8
	.globl btf_extra_types, btf_extra_types_end
btf_extra_types:
	.incbin "types.bin"
btf_extra_types_end:

	.section .rodata, "a"
	.balign 8
	.globl btf_extra_image, btf_extra_image_end
btf_extra_image:
	.incbin "image.bin"
btf_extra_image_end:
