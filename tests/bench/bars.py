# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The lines that all benchmarks print: figures, and bars that they meet or miss."""

import sys

_verdicts = []


def bar(name, value, limit, unit="", at_least=False):
    met = value >= limit if at_least else value <= limit
    _verdicts.append(met)
    print(f"  {'pass' if met else 'FAIL'}  {name:58} {value:10.4g}{unit}"
          f"  ({'at least' if at_least else 'at most'} {limit:g}{unit})", flush=True)


def same(name, value, expected):
    _verdicts.append(value == expected)
    print(f"  {'pass' if value == expected else 'FAIL'}  {name:58} {value:>10}"
          f"  (exactly {expected})", flush=True)


def note(name, value, unit=""):
    print(f"        {name:58} {value:10.5g}{unit}", flush=True)


def conclude():
    """Exits with 1 if a bar was missed."""
    print(f"{sum(_verdicts)} bars met, {len(_verdicts) - sum(_verdicts)} missed")
    sys.exit(0 if all(_verdicts) else 1)
