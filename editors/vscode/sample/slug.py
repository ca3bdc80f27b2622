"""Slugs for the addresses of articles."""

import re
import unicodedata

LONGEST = 80
NOT_IN_A_WORD = re.compile(r"[^\w\s-]")


def plain(text):
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c))


def slug(title):
    words = NOT_IN_A_WORD.sub("", plain(title)).strip().lower().split()
    return "-".join(words)[:LONGEST].rstrip("-")


def is_slug(text):
    return text == slug(text)
