"""JSON with comments and trailing commas, as handler reads it."""
import json
import re

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def loads(text):
    plain = TOKEN.sub(lambda m: m.group() if m.group().startswith('"') else " ", text)
    return json.loads(COMMA.sub(lambda m: m.group(1) or "", plain))


def load(path):
    with open(path, encoding="utf-8") as f:
        return loads(f.read())
