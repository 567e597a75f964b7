"""Calls ``headwater records`` with each of some lists of arguments, given as JSON; prints what came of it as JSON."""

import json
import sys

from kit.command import headwater


def main(calls):
    done = [headwater("records", *each) for each in calls]
    print("FOUND " + json.dumps([[each.exit_code, each.stdout, each.stderr] for each in done]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
