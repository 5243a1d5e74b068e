#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Where the functions of shapes.ko are, as btf-extra says of the file: one line for each site,
"FUNCTION CLASS SYMBOL+OFFSET MASK", where bit n of MASK is set if parameter n has a location or an
expression. No site at which but the rest of a call goes on.

usage: expected_sites.py BTF-EXTRA ARGUMENTS-OF-LOOKUP... -- FUNCTION...
"""

import json
import subprocess
import sys


def main():
    end = sys.argv.index("--")
    for name in sys.argv[end + 1:]:
        done = subprocess.run([sys.argv[1], "lookup", "--json", name, *sys.argv[2:end]],
                              capture_output=True, check=True)
        for site in json.loads(done.stdout)["sites"]:
            if site["part"]:
                continue
            mask = sum(1 << n for n, param in enumerate(site["params"])
                       if param["loc"] or param["expression"])
            print(name, site["class"], site["symbol"], mask)


if __name__ == "__main__":
    main()
