#!/usr/bin/env python3
"""Redaction: mail addresses, card numbers, IBANs and international phone numbers leave neither in an answer nor in a call.

    [[hooks]]
    event = "finalize_content"        # what is stored and sent as the answer
    command = ["./hooks/redact.py"]
    reraise = true                    # rather no answer than one that was not looked at

    [[hooks]]
    event = "before_execute_tool"     # what the model hands to tools
    match = "{web_*,mcp_*}"           # those that leave the machine
    command = ["./hooks/redact.py"]
    reraise = true
"""

import json
import re
import sys

MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
CARD = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w])")
PHONE = re.compile(r"(?<![\w+])\+\d(?:[ ()/-]{0,2}\d){7,14}(?!\w)")


def is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()][::-1]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def redact(text: str) -> str:
    text = MAIL.sub("[mail]", text)
    text = IBAN.sub(lambda found: "[iban]" if is_iban(found[0]) else found[0], text)
    text = CARD.sub(lambda found: "[card]" if is_card(found[0]) else found[0], text)
    return PHONE.sub("[phone]", text)


def redact_all(value):
    """Every string of a JSON value; names of keys stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_all(item) for item in value]
    if isinstance(value, dict):
        return {key: redact_all(item) for key, item in value.items()}
    return value


def main() -> None:
    told = json.load(sys.stdin)
    if told["event"] == "finalize_content":
        before, key = told["content"], "content"
    else:
        before, key = told["tool"]["arguments"], "arguments"
    after = redact_all(before)
    if after != before:
        json.dump({key: after}, sys.stdout)


main()
