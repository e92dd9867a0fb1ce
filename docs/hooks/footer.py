#!/usr/bin/env python3
"""Footer: a line under each answer.

    [[hooks]]
    event = "finalize_content"
    command = ["./hooks/footer.py", "Written by a model; check before you rely on it."]
"""

import json
import sys


def main() -> None:
    footer = sys.argv[1] if len(sys.argv) > 1 else "Written by a model."
    content = json.load(sys.stdin)["content"]
    if content.strip() and not content.endswith(footer):
        json.dump({"content": f"{content.rstrip()}\n\n{footer}"}, sys.stdout)


main()
