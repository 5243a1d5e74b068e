// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <linux/sort.h>

#include "core/range_search.h"
#include "kloc/kloc_args.h"

static int compare_protos(const void *a, const void *b)
{
	u32 left = *(const u32 *)a;
	u32 right = *(const u32 *)b;

	return (left > right) - (left < right);
}

static struct site_args *args_at(const struct kloc_args *args, u32 i)
{
	return args->memory + i * args->size;
}

int kloc_args_alloc(struct kloc_args *args, u32 *protos, u32 nr, u32 nr_params)
{
	u32 i;

	*args = (struct kloc_args){
		.protos = protos, .size = site_args_size(nr_params), .nr_params = nr_params
	};
	sort(protos, nr, sizeof(*protos), compare_protos, NULL);
	for (i = 0; i < nr; i++)
		if (!args->nr || protos[i] != protos[args->nr - 1])
			protos[args->nr++] = protos[i];
	args->memory = kvcalloc(args->nr, args->size, GFP_KERNEL_ACCOUNT);
	return args->memory ? 0 : -ENOMEM;
}

void kloc_args_free(struct kloc_args *args)
{
	kvfree(args->protos);
	kvfree(args->memory);
	kvfree(args->room);
	*args = (struct kloc_args){};
}

/*
 * An address constant counts from the text of vmlinux. Modules have none, because their parts are
 * placed independently.
 */
static unsigned long constants_base(const struct extra_object *object)
{
	const struct object_section *text = extra_object_section(object, ".text");

	return object->module || !text ? 0 : text->address;
}

/* The number in one piece of the work. */
#define PIECE 256

static int args_find_places(const struct btf_blob *types, const struct kloc_request *request,
			    struct arg_place *places, u32 capacity)
{
	if (request->stub)
		return arg_places_of_stub(loc_arch_running(), types, request->func_id,
					  request->without, places, capacity);
	if (request->slots)
		return arg_places_in_slots(loc_arch_running(), types, request->func_id, places,
					   capacity);
	return arg_places(loc_arch_running(), types, request->func_id, places, capacity);
}

int kloc_args_measure(struct kloc_args *args, const struct extra_object *object,
		      const struct kloc_request *request, u32 *done)
{
	u32 end = min_t(u32, args->nr, *done + PIECE);

	for (; *done < end; ++*done)
		args->room_size += site_args_room(&object->blobs, args->protos[*done],
						  args->nr_params);
	return 0;
}

int kloc_args_alloc_room(struct kloc_args *args)
{
	if (args->room_size)
		args->room = kvmalloc(args->room_size, GFP_KERNEL_ACCOUNT);
	return args->room_size && !args->room ? -ENOMEM : 0;
}

int kloc_args_prepare(struct kloc_args *args, const struct extra_object *object,
		      const struct kloc_request *request, u32 *done)
{
	struct arg_place places[BTF_EXTRA_ARGS_MAX];
	int nr_params = args_find_places(&object->blobs.func_info, request, places,
					 ARRAY_SIZE(places));
	u32 end = min_t(u32, args->nr, *done + PIECE);

	if (nr_params < 0)
		return nr_params;
	for (; *done < end; ++*done)
		args->room_used += site_args_prepare(args_at(args, *done), &object->blobs,
						     args->protos[*done], places, nr_params,
						     constants_base(object),
						     args->room + args->room_used);
	return 0;
}

u64 kloc_args_located(const struct extra_object *object, u32 loc_proto,
		      const struct arg_place *places, u32 nr_params)
{
	return site_args_located(&object->blobs, loc_proto, places, nr_params,
				 constants_base(object));
}

struct proto_key {
	const u32 *protos;
	u32 proto;
};

static int compare_proto(const void *key, u32 i)
{
	const struct proto_key *wanted = key;

	return compare_protos(&wanted->protos[i], &wanted->proto);
}

const struct site_args *kloc_args_of(const struct kloc_args *args, u32 loc_proto)
{
	const struct proto_key key = { .protos = args->protos, .proto = loc_proto };

	return args_at(args, lower_bound(0, args->nr, 0, compare_proto, &key));
}
