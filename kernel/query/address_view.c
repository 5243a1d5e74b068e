// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "query/address_view.h"

bool address_view_allowed(void)
{
	char text[32];

	if (!ns_capable_noaudit(&init_user_ns, CAP_SYSLOG))
		return false;
	/* kptr_restrict is not exported, but %pK follows it: if it is 2, %pK prints zeros. */
	scnprintf(text, sizeof(text), "%pK", (void *)text);
	return strspn(text, "0") != strlen(text);
}
