"""Slugs for the addresses of articles."""


def slug(title):
    return title.lower().replace(" ", "-")


def is_slug(text):
    return text == slug(text)
