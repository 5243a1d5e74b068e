// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Looks up a function from several threads for some seconds, while its object comes and goes:
 *
 *	query_stress SECONDS THREADS OBJECT FUNCTION SITES
 *
 * Each answer must be complete: no object, or all sites of one object. Each site must be found
 * again at its address as long as the generation is the same. Both answers must occur. Ends with 0
 * and a line with counts, or with 1 and what was wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "include/uapi/linux/btf_extra.h"

#define MAX_SITES 64

static const char *object, *function;
static unsigned int nr_sites;
static time_t deadline;

struct worker {
	pthread_t thread;
	unsigned long whole, absent, again;
	const char *wrong;
};

static int look_up(int device, struct btf_extra_lookup *lookup, struct btf_extra_site *sites)
{
	lookup->sites = (unsigned long)sites;
	lookup->capacity = MAX_SITES;
	return ioctl(device, BTF_EXTRA_IOC_LOOKUP, lookup) ? -errno : 0;
}

/* The first site must be found at its address, unless the tables have changed since. */
static const char *find_again(int device, const struct btf_extra_site *site,
			      unsigned long long generation, struct worker *worker)
{
	struct btf_extra_site found[MAX_SITES];
	struct btf_extra_lookup lookup = {
		.by = BTF_EXTRA_BY_ADDRESS,
		.address = site->address,
	};
	int err = look_up(device, &lookup, found);
	unsigned int i;

	if (err && err != -ENOENT)
		return "a look-up by address failed";
	/* An answer of -ENOENT has no generation, so ask for it. */
	if (err) {
		struct btf_extra_info info = {};

		if (ioctl(device, BTF_EXTRA_IOC_INFO, &info))
			return "no info";
		return info.generation == generation ? "not found at its address" : NULL;
	}
	if (lookup.generation != generation)
		return NULL;
	for (i = 0; i < lookup.count; i++) {
		if (found[i].func_id == site->func_id && found[i].object == site->object) {
			worker->again++;
			return NULL;
		}
	}
	return "another function at its address";
}

static const char *check_answer(int device, struct worker *worker)
{
	struct btf_extra_site sites[MAX_SITES];
	struct btf_extra_lookup lookup = {
		.by = BTF_EXTRA_BY_NAME,
		.object = (unsigned long)object,
		.name = (unsigned long)function,
	};
	int err = look_up(device, &lookup, sites);
	unsigned int i;

	if (err == -ENOENT) {
		worker->absent++;
		return NULL;
	}
	if (err)
		return "a look-up by name failed";
	if (lookup.total != nr_sites || lookup.count != nr_sites)
		return "not all sites";
	for (i = 0; i < lookup.count; i++) {
		if (sites[i].object != sites[0].object || sites[i].func_id != sites[0].func_id)
			return "sites of several objects";
		if (!sites[i].address != !!(sites[i].flags & BTF_EXTRA_SITE_FREED))
			return "an address is there or not, against its flag";
	}
	worker->whole++;
	for (i = 0; i < lookup.count; i++)
		if (sites[i].address)
			return find_again(device, &sites[i], lookup.generation, worker);
	return "no site has an address";
}

static void *work(void *data)
{
	struct worker *worker = data;
	int device = open(BTF_EXTRA_DEVICE, O_RDONLY);

	if (device < 0)
		worker->wrong = "no device";
	while (!worker->wrong && time(NULL) < deadline)
		worker->wrong = check_answer(device, worker);
	if (device >= 0)
		close(device);
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[16] = {};
	unsigned long whole = 0, absent = 0, again = 0;
	int nr_workers, i, err = 0;

	if (argc != 6 || atoi(argv[2]) < 1 || atoi(argv[2]) > 16) {
		fprintf(stderr, "usage: query_stress SECONDS THREADS OBJECT FUNCTION SITES\n");
		return 2;
	}
	deadline = time(NULL) + atoi(argv[1]);
	nr_workers = atoi(argv[2]);
	object = argv[3];
	function = argv[4];
	nr_sites = (unsigned int)atoi(argv[5]);
	for (i = 0; i < nr_workers; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	for (i = 0; i < nr_workers; i++) {
		pthread_join(workers[i].thread, NULL);
		whole += workers[i].whole;
		absent += workers[i].absent;
		again += workers[i].again;
		if (workers[i].wrong) {
			printf("query_stress: %s\n", workers[i].wrong);
			err = 1;
		}
	}
	printf("query_stress: %lu whole answers, %lu of them found again, %lu times absent\n",
	       whole, again, absent);
	return err || !whole || !absent || !again;
}
