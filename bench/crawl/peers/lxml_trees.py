"""lxml_trees.py FILE...: each document as lxml reads it, a line of JSON each: [name, attributes, text, children], or null."""
import json
import sys

from lxml import etree


def local(name):
    return name.rpartition("}")[2]


def tree(node):
    prefix = f"{node.prefix}:" if node.prefix else ""
    text = (node.text or "") + "".join(child.tail or "" for child in node)
    return [prefix + local(node.tag), {local(key): value for key, value in node.attrib.items()}, text,
            [tree(child) for child in node if isinstance(child.tag, str)]]


for path in sys.argv[1:]:
    try:
        parser = etree.XMLParser(recover=True, huge_tree=True, resolve_entities=False, no_network=True, remove_comments=True)
        root = etree.parse(path, parser).getroot()
        print(json.dumps(None if root is None else tree(root)))
    except (etree.XMLSyntaxError, RecursionError, OSError):
        print("null")
