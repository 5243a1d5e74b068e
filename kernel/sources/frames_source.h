/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames for objects that were made without them: they are read from firmware files on request.
 */
#ifndef BTF_EXTRA_FRAMES_SOURCE_H
#define BTF_EXTRA_FRAMES_SOURCE_H

/*
 * Has objects keep the frames of their firmware files from now on. Reads the frames of the existing
 * objects, each once: a file without frames is not read again. Returns 0, -ENOMEM, or -EINTR if the
 * caller is being killed. May sleep. The caller must not hold published_lock().
 */
int frames_source_load(void);

#endif
