#!/usr/bin/python3
"""A model server on loopback for agents that have no account: four protocols, replies by script, a log of requests.

Protocols (each a class below): Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Gemini; with server-sent events where
the client asks for them.  What is answered is written in the user's prompt, so a test says both in one place:

  (say: TEXT)     answers "Model: TEXT" (so that the answer is not found in the prompt on the screen)
  (essay: N)      answers with N sections of Markdown (lists, code, a table, characters of all widths) and "Model: the end"
  (run: COMMAND)  calls the client's shell tool, and says "Model: it ran" when the result comes back
  (hold: TEXT)    answers "Model: TEXT" and another line, then leaves the answer open until the test calls release()
  (fail: STATUS)  answers with that HTTP status

Anything else is echoed: "You said: ...".  Requests for a JSON schema (titles, classifiers) get the smallest value that fits.

In a test:  with FakeModel() as model: ...; model.url; model.turns  (see class Turn)
By hand:    fake_model.py [PORT]  prints one line for each request, and holds a (hold: ) answer until Enter.
"""
import gzip
import http.server
import json
import re
import sys
import threading
import time
import uuid

DIRECTIVE = re.compile(r"\((say|essay|run|hold|fail): ?([^)]*)\)")
HOLD_LIMIT = 300  # seconds

# The shell tools that clients offer, and the arguments each takes for a command.
SHELL_TOOLS = (
    ("Bash", lambda c: {"command": c, "description": "a test"}),
    ("bash", lambda c: {"command": c, "description": "a test"}),
    ("run_shell_command", lambda c: {"command": c, "description": "a test", "is_background": False}),
    ("exec_command", lambda c: {"cmd": c}),
    ("shell_command", lambda c: {"command": c}),
    ("shell", lambda c: {"command": ["bash", "-c", c]}),
    ("exec", lambda c: "const r = await tools.exec_command(%s); text(r);" % json.dumps({"cmd": c})),
)


SECTION = """## Section %(n)d

Some *words*, some **bold ones** and `code %(n)d`, \u6f22\u5b57 and e\u0301, \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f1e9\U0001f1ea, in a
line that is long enough to be wrapped on a narrow screen, and goes on until it is wrapped on a wide one too, at last.

- one
- two, with a [link](https://example.org/%(n)d)

```c
int f%(n)d(void) { return %(n)d; } /* a comment */
```

| a | b |
|---|---|
| %(n)d | \u00e9\u00e8 |

"""


class Turn:
    """One request for an answer, the same for all protocols."""

    def __init__(self, protocol, body):
        self.protocol, self.body = protocol, body
        self.system = ""    # instructions: system and developer messages
        self.user = ""      # the last message of the user
        self.results = 0    # tool results since then
        self.tools = {}     # name: kind
        self.schema = None  # JSON schema that the answer must have
        self.answered = threading.Event()

    def everything(self):
        """All that was sent, as text: for a test that does not care where a string arrived."""
        return json.dumps(self.body, ensure_ascii=False)


class Answer:
    def __init__(self, text="", tool=None, hold=False, status=None):
        self.text, self.tool, self.hold, self.status = text, tool, hold, status


def plan(turn):
    """What to answer."""
    if turn.schema is not None:
        return Answer(json.dumps(smallest(turn.schema)))
    found = DIRECTIVE.findall(turn.user)
    if not found:
        return Answer("You said: %s." % " ".join(turn.user.split())[-200:])
    word, argument = found[-1]
    if word == "say":
        return Answer("Model: " + argument)
    if word == "essay":
        return Answer("".join(SECTION % {"n": n} for n in range(1, int(argument) + 1)) + "Model: the end")
    if word == "hold":
        return Answer("Model: %s\n\nMore follows." % argument, hold=True)  # some show only whole lines
    if word == "fail":
        return Answer(status=int(argument))
    if turn.results:
        return Answer("Model: it ran")
    for name, arguments in SHELL_TOOLS:
        if name in turn.tools:
            return Answer("Model: calls its tool", tool=(name, arguments(argument)))
    return Answer("Model: there is no shell tool")


def smallest(schema):
    """The smallest value that a JSON schema allows, in as far as clients use schemas."""
    if "enum" in schema:
        return schema["enum"][0]
    for choice in schema.get("anyOf") or schema.get("oneOf") or ():
        return smallest(choice)
    kind = schema.get("type", "object")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties = schema.get("properties") or {}
        return {k: smallest(v) for k, v in properties.items() if k in schema.get("required", properties)}
    return {"string": "a title", "array": [], "boolean": False, "null": None}.get(kind, 1)


def text_of(content):
    """The text in a message's content, whatever shape it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("parts") or "")
    return "\n".join(filter(None, (text_of(c) for c in content or ())))


def name(prefix):
    return prefix + uuid.uuid4().hex[:20]


def words(text):
    return re.findall(r"\s*\S+\s*", text) or [text]


class Protocol:
    """read(): body -> Turn.  pieces(): the events of a streamed answer, as (event name or None, object); in their
    middle HOLD where an open answer waits.  whole(): the same answer as one object.
    """
    HOLD = object()

    def __init__(self, body, path):
        self.body, self.path = body, path
        self.model = body.get("model") or "fake"

    def streams(self):
        return bool(self.body.get("stream"))


class Messages(Protocol):
    """Anthropic: POST .../v1/messages"""

    def read(self):
        turn = Turn("messages", self.body)
        turn.system = text_of(self.body.get("system"))
        turn.tools = {t.get("name"): "function" for t in self.body.get("tools") or ()}
        turn.schema = ((self.body.get("output_config") or {}).get("format") or {}).get("schema")
        for message in self.body.get("messages") or ():
            if message.get("role") == "system":
                turn.system += "\n" + text_of(message.get("content"))
            if message.get("role") != "user":
                continue
            content = message.get("content")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            if any(b.get("type") == "tool_result" for b in blocks):
                turn.results += 1
                continue
            text = text_of([b for b in blocks if b.get("type") == "text"])
            if text.strip():
                turn.user, turn.results = text, 0
        return turn

    def message(self, content, stop):
        return {"id": name("msg_"), "type": "message", "role": "assistant", "model": self.model, "content": content,
                "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}

    def whole(self, answer):
        content = [{"type": "text", "text": answer.text}]
        if answer.tool:
            content.append({"type": "tool_use", "id": name("toolu_"), "name": answer.tool[0], "input": answer.tool[1]})
        return self.message(content, "tool_use" if answer.tool else "end_turn")

    def pieces(self, answer):
        whole = self.whole(answer)
        yield self.event("message_start", message=dict(whole, content=[], stop_reason=None))
        for index, block in enumerate(whole["content"]):
            is_text = block["type"] == "text"
            yield self.event("content_block_start", index=index, content_block=dict(
                block, **({"text": ""} if is_text else {"input": {}})))
            for part in words(block["text"]) if is_text else [json.dumps(block["input"])]:
                delta = {"type": "text_delta", "text": part} if is_text else {"type": "input_json_delta", "partial_json": part}
                yield self.event("content_block_delta", index=index, delta=delta)
            if is_text and answer.hold:
                yield self.HOLD
            yield self.event("content_block_stop", index=index)
        yield self.event("message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None},
                         usage={"output_tokens": 5})
        yield self.event("message_stop")

    @staticmethod
    def event(kind, **fields):
        return kind, dict(fields, type=kind)


class Responses(Protocol):
    """OpenAI: POST .../responses"""

    def read(self):
        turn = Turn("responses", self.body)
        turn.system = text_of(self.body.get("instructions"))
        turn.tools = {t.get("name") or t.get("type"): t.get("type") for t in self.body.get("tools") or ()}
        turn.schema = ((self.body.get("text") or {}).get("format") or {}).get("schema")
        items = self.body.get("input") or ()
        for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
            if item.get("type", "").endswith("_output"):
                turn.results += 1
            elif item.get("role") in ("system", "developer"):
                turn.system += "\n" + text_of(item.get("content"))
            elif item.get("role") == "user":
                turn.user, turn.results = text_of(item.get("content")), 0
        self.kinds = turn.tools
        return turn

    def items(self, answer):
        out = [{"type": "message", "id": name("msg_"), "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": answer.text, "annotations": []}]}]
        if answer.tool:
            call = {"id": name("fc_"), "call_id": name("call_"), "name": answer.tool[0], "status": "completed"}
            if self.kinds.get(answer.tool[0]) == "custom":
                out.append(dict(call, type="custom_tool_call", input=answer.tool[1]))
            else:
                out.append(dict(call, type="function_call", arguments=json.dumps(answer.tool[1])))
        return out

    def response(self, items, status):
        return {"id": name("resp_"), "object": "response", "created_at": int(time.time()), "status": status,
                "model": self.model, "output": items,
                "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                          "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}}

    def whole(self, answer):
        return self.response(self.items(answer), "completed")

    def pieces(self, answer):
        items = self.items(answer)
        done = self.response(items, "completed")
        number = 0
        for kind, fields in self.steps(answer, items, done):
            if kind is self.HOLD:
                yield kind
                continue
            yield kind, dict(fields, type=kind, sequence_number=number)
            number += 1

    def steps(self, answer, items, done):
        yield "response.created", {"response": dict(done, output=[], status="in_progress", usage=None)}
        for index, item in enumerate(items):
            at = {"item_id": item["id"], "output_index": index}
            if item["type"] == "message":
                part = dict(at, content_index=0)
                yield "response.output_item.added", {"output_index": index, "item": dict(item, content=[], status="in_progress")}
                yield "response.content_part.added", dict(part, part={"type": "output_text", "text": "", "annotations": []})
                for word in words(answer.text):
                    yield "response.output_text.delta", dict(part, delta=word)
                if answer.hold:
                    yield self.HOLD, None
                yield "response.output_text.done", dict(part, text=answer.text)
                yield "response.content_part.done", dict(part, part=item["content"][0])
            else:
                field, stem = (("input", "custom_tool_call_input") if item["type"] == "custom_tool_call"
                               else ("arguments", "function_call_arguments"))
                yield "response.output_item.added", {"output_index": index, "item": dict(item, **{field: ""})}
                yield "response.%s.delta" % stem, dict(at, delta=item[field])
                yield "response.%s.done" % stem, dict(at, **{field: item[field]})
            yield "response.output_item.done", {"output_index": index, "item": item}
        yield "response.completed", {"response": done}


class Chat(Protocol):
    """OpenAI of old, and those who speak like it: POST .../chat/completions"""

    def read(self):
        turn = Turn("chat", self.body)
        turn.tools = {t["function"].get("name"): "function" for t in self.body.get("tools") or () if t.get("function")}
        turn.schema = ((self.body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        for message in self.body.get("messages") or ():
            role, text = message.get("role"), text_of(message.get("content"))
            if role in ("system", "developer"):
                turn.system += text + "\n"
            elif role == "tool":
                turn.results += 1
            elif role == "user":
                turn.user, turn.results = text, 0
        return turn

    def frame(self, kind, choice, **more):
        return dict({"id": name("chatcmpl-"), "object": kind, "created": int(time.time()), "model": self.model,
                     "choices": [dict(choice, index=0)] if choice else []}, **more)

    USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

    @staticmethod
    def calls(answer):
        if not answer.tool:
            return {}
        return {"tool_calls": [{"index": 0, "id": name("call"), "type": "function", "function": {
            "name": answer.tool[0], "arguments": json.dumps(answer.tool[1])}}]}

    def whole(self, answer):
        message = dict({"role": "assistant", "content": answer.text}, **self.calls(answer))
        return self.frame("chat.completion", {"message": message, "finish_reason": "tool_calls" if answer.tool else "stop"},
                          usage=self.USAGE)

    def pieces(self, answer):
        def chunk(delta, finish=None):
            return None, self.frame("chat.completion.chunk", {"delta": delta, "finish_reason": finish})
        yield chunk({"role": "assistant", "content": ""})
        for word in words(answer.text):
            yield chunk({"content": word})
        if answer.hold:
            yield self.HOLD
        if answer.tool:
            yield chunk(self.calls(answer))
        yield chunk({}, "tool_calls" if answer.tool else "stop")
        yield None, self.frame("chat.completion.chunk", None, usage=self.USAGE)
        yield None, "[DONE]"


class Gemini(Protocol):
    """Google: POST .../models/NAME:generateContent or :streamGenerateContent"""

    def streams(self):
        return self.path.endswith(":streamGenerateContent")

    def read(self):
        turn = Turn("gemini", self.body)
        turn.system = text_of(self.body.get("systemInstruction") or self.body.get("system_instruction"))
        for group in self.body.get("tools") or ():
            turn.tools.update({t.get("name"): "function" for t in group.get("functionDeclarations") or ()})
        config = self.body.get("generationConfig") or {}
        if config.get("responseMimeType") == "application/json":
            turn.schema = config.get("responseJsonSchema") or config.get("responseSchema") or {}
        for content in self.body.get("contents") or ():
            parts = content.get("parts") or ()
            if any("functionResponse" in p for p in parts):
                turn.results += 1
            elif content.get("role") == "user" and text_of(parts).strip():
                turn.user, turn.results = text_of(parts), 0
        return turn

    def frame(self, parts, finish=None):
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}}
        if finish:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], "modelVersion": self.model, "responseId": name(""),
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}

    @staticmethod
    def call(answer):
        return [{"functionCall": {"name": answer.tool[0], "args": answer.tool[1]}}] if answer.tool else []

    def whole(self, answer):
        return self.frame([{"text": answer.text}] + self.call(answer), "STOP")

    def pieces(self, answer):
        for word in words(answer.text):
            yield None, self.frame([{"text": word}])
        if answer.hold:
            yield self.HOLD
        yield None, self.frame(self.call(answer) or [{"text": ""}], "STOP")


ENDPOINTS = ((re.compile(r"/messages$"), Messages), (re.compile(r"/responses$"), Responses),
             (re.compile(r"/chat/completions$"), Chat), (re.compile(r":(stream)?[gG]enerateContent$"), Gemini))


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake_model"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.model.note(self.command, self.path, None)
        if (self.headers.get("Upgrade") or "").lower() == "websocket":
            self.send_object({"error": {"message": "there is no websocket"}}, 426)
        elif self.path.split("?")[0].endswith("/models"):
            models = [{"id": m, "object": "model", "type": "model", "display_name": m, "owned_by": "test", "created": 1,
                       "created_at": "2026-01-01T00:00:00Z"} for m in ("fake", "gpt-5.2-codex")]
            self.send_object({"object": "list", "data": models, "models": [], "has_more": False})
        else:
            self.send_object({"error": {"message": "not found"}}, 404)

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_GET

    def do_POST(self):
        path = self.path.split("?")[0]
        try:
            body = json.loads(self.read_body() or b"null")
        except ValueError:
            body = None
        self.model.note("POST", self.path, body)
        endpoint = next((c for pattern, c in ENDPOINTS if pattern.search(path)), None)
        if endpoint and isinstance(body, dict):
            self.answer(endpoint(body, path))
        elif path.endswith("/count_tokens"):
            self.send_object({"input_tokens": 10})
        elif path.endswith(":countTokens"):
            self.send_object({"totalTokens": 10})
        else:
            self.send_object({"error": {"type": "not_found_error", "message": "not found"}}, 404)

    def read_body(self):
        if (self.headers.get("Transfer-Encoding") or "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def answer(self, protocol):
        turn = protocol.read()
        self.model.add(turn)
        answer = plan(turn)
        try:
            if answer.status:
                self.send_object({"type": "error", "error": {"type": "api_error", "message": "as the test asked for",
                                                             "code": answer.status}}, answer.status)
            elif protocol.streams():
                self.send_events(protocol.pieces(answer))
            else:
                self.send_object(protocol.whole(answer))
        except OSError:  # the client has left
            self.close_connection = True
        turn.answered.set()

    def send_object(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_events(self, pieces):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if piece is Protocol.HOLD:
                self.model.released.wait(HOLD_LIMIT)
                continue
            kind, value = piece
            text = value if isinstance(value, str) else json.dumps(value)
            data = (("event: %s\n" % kind if kind else "") + "data: %s\n\n" % text).encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


class FakeModel:
    """The server, in threads of this process."""

    def __init__(self, port=0, on_request=None):
        self.turns = []      # requests for an answer, in order
        self.requests = []   # (method, path) of all requests
        self.changed = threading.Condition()
        self.released = threading.Event()
        self.on_request = on_request
        handler = type("BoundRequest", (Request,), {"model": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def note(self, method, path, body):
        self.requests.append((method, path))
        if self.on_request:
            self.on_request(method, path, body)

    def add(self, turn):
        with self.changed:
            self.turns.append(turn)
            self.changed.notify_all()

    def hold_again(self):
        self.released.clear()

    def release(self):
        """Lets held answers end."""
        self.released.set()

    def wait_turn(self, matches, timeout=60):
        """The first Turn for which matches(turn) is true (or whose user text contains a str)."""
        test = matches if callable(matches) else lambda t: matches in t.user
        end = time.monotonic() + timeout
        with self.changed:
            while True:
                found = next((t for t in self.turns if test(t)), None)
                left = end - time.monotonic()
                if found:
                    return found
                if left <= 0:
                    raise AssertionError("no such request within %d s; there were: %r" % (
                        timeout, [(t.protocol, t.user[-200:]) for t in self.turns]))
                self.changed.wait(left)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.release()
        self.server.shutdown()
        self.server.server_close()


def main():
    def show(method, path, body):
        print(method, path, json.dumps(body, ensure_ascii=False)[:2000] if body else "", flush=True)
    with FakeModel(int(sys.argv[1]) if len(sys.argv) > 1 else 0, show) as model:
        print("listening on " + model.url, flush=True)
        for _ in sys.stdin:
            model.release()
            model.hold_again()
        threading.Event().wait()


if __name__ == "__main__":
    main()
