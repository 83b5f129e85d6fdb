"""The real agents: where they come from, and what their user has set up before the program is started.

A user of an agent has logged in, chosen a theme and answered for his directories; prepare() stands in for that
person.  None of it is done by the program under test.  All traffic goes to the fake model server.
"""
import fcntl
import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.environ.get("HANDLER_REAL_DIR") or os.path.join(ROOT, "build", "real")
BIN = os.path.join(FOLDER, "node_modules", ".bin")
NEED_SCRIPTS = ("@anthropic-ai/claude-code", "opencode-ai")  # their install scripts put the native binary in place
INSTALL_LIMIT = 1800


class Unavailable(Exception):
    """The agents cannot be had here; says why."""


def install():
    """Installs what package.json pins, once; later runs find it there."""
    with open(os.path.join(HERE, "package.json")) as f:
        wanted = f.read()
    stamp = os.path.join(FOLDER, "installed.json")
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(stamp) and open(stamp).read() == wanted:
            return
        if not shutil.which("npm"):
            raise Unavailable("npm is not installed")
        shutil.copy(os.path.join(HERE, "package.json"), FOLDER)
        # a registry that is out of reach is found out at once, without npm's minutes of trying again
        npm(["view", Codex.package, "version", "--fetch-retries=0", "--fetch-timeout=20000"], 60)
        common = ["--prefix", FOLDER, "--no-audit", "--no-fund"]
        npm(["install", "--ignore-scripts"] + common, INSTALL_LIMIT)
        npm(["rebuild"] + common + list(NEED_SCRIPTS), INSTALL_LIMIT)
        with open(stamp, "w") as f:
            f.write(wanted)


def npm(arguments, limit):
    env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
    try:
        p = subprocess.run(["npm", "--loglevel=error"] + arguments, cwd=FOLDER, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Unavailable("the npm registry does not answer") from None
    if p.returncode:
        output = " ".join(p.stdout.replace("npm error", "").split())
        reason = re.search(r"reason: (.{1,100}?)(?: at |$)", output)
        raise Unavailable("npm %s: %s" % (arguments[0], reason.group(1) if reason else output[:200]))


def pinned(package):
    with open(os.path.join(HERE, "package.json")) as f:
        return json.load(f)["dependencies"][package]


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(value if isinstance(value, str) else json.dumps(value, indent=2))


class Agent:
    harness = program = package = ""
    protocol = ""              # how it speaks to its model
    channel = "system"         # where instructions arrive: system, or the first turn of the user
    direct = ()                # arguments to start it without the program under test
    ready = re.compile(r"\S")  # what its screen shows when it can be typed to
    signals = False            # whether it tells its state by OSC 7501 or its title
    resumes = False            # whether a new launch can go on with an old conversation

    def prepare(self, home, work, url):
        """Writes the user's files below `home`; returns the user's environment variables."""
        raise NotImplementedError

    @property
    def version(self):
        return pinned(self.package)


class Claude(Agent):
    harness, program, package = "claude-code", "claude", "@anthropic-ai/claude-code"
    protocol, signals, resumes = "messages", True, True
    key = "sk-ant-api03-this-is-a-key-for-a-fake-model-server-AA"
    direct = ("--append-system-prompt", "INSTRUCTIONS")
    ready = re.compile(r"❯")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".claude.json"), {
            "hasCompletedOnboarding": True, "theme": "dark", "numStartups": 5, "autoUpdates": False,
            "customApiKeyResponses": {"approved": [self.key[-20:]], "rejected": []},
            "projects": {work: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}})
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": self.key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1"}


class Codex(Agent):
    harness, program, package = "codex", "codex", "@openai/codex"
    protocol, signals, resumes = "responses", True, True
    direct = ("--no-daemon", "-c", "developer_instructions=INSTRUCTIONS")
    ready = re.compile(r"›")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".codex", "config.toml"), """
model = "gpt-5.2-codex"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[projects."%s"]
trust_level = "trusted"
""" % (url, work))
        return {"FAKE_KEY": "sk-fake"}


class OpenCode(Agent):
    harness, program, package = "opencode", "opencode", "opencode-ai"
    protocol = "chat"
    ready = re.compile(r"Ask anything|ctrl\+p|fake")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".config", "opencode", "opencode.json"), {
            "$schema": "https://opencode.ai/config.json", "model": "fake/fake", "small_model": "fake/fake",
            "autoupdate": False, "share": "disabled",
            "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake",
                                  "options": {"baseURL": url + "/v1", "apiKey": "sk-fake"},
                                  "models": {"fake": {"name": "fake", "limit": {"context": 200000, "output": 8000}}}}}})
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


class Pi(Agent):
    harness, program, package = "pi", "pi", "@earendil-works/pi-coding-agent"
    protocol, signals, resumes = "chat", True, True
    direct = ("--append-system-prompt", "INSTRUCTIONS")
    ready = re.compile(r"fake")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".pi", "agent", "models.json"), {"providers": {"fake": {
            "baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "sk-fake", "models": [
                {"id": "fake", "name": "fake", "reasoning": False, "input": ["text"], "contextWindow": 200000, "maxTokens": 8000,
                 "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}})
        write(os.path.join(home, ".pi", "agent", "settings.json"), {"defaultProvider": "fake", "defaultModel": "fake"})
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


class Gemini(Agent):
    harness, program, package = "gemini", "gemini", "@google/gemini-cli"
    protocol, channel, signals, resumes = "gemini", "user", True, True
    direct = ("-m", "gemini-2.5-pro")
    ready = re.compile(r"Type your message")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".gemini", "settings.json"), {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False},
            "model": {"name": "gemini-2.5-pro"}})
        return {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": url}


class Qwen(Agent):
    harness, program, package = "qwen", "qwen", "@qwen-code/qwen-code"
    protocol, signals, resumes = "chat", True, True
    direct = ("--append-system-prompt", "INSTRUCTIONS")
    ready = re.compile(r"Type your message")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".qwen", "settings.json"), {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}})
        return {"OPENAI_API_KEY": "sk-fake", "OPENAI_BASE_URL": url + "/v1", "OPENAI_MODEL": "fake"}


class Copilot(Agent):
    harness, program, package = "copilot", "copilot", "@github/copilot"
    protocol, resumes = "chat", True
    ready = re.compile(r"/ commands")

    def prepare(self, home, work, url):
        write(os.path.join(home, ".copilot", "config.json"), {"trusted_folders": [work], "banner": "never"})
        return {"COPILOT_PROVIDER_BASE_URL": url + "/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_API_KEY": "sk-fake",
                "COPILOT_MODEL": "fake", "COPILOT_OFFLINE": "true"}


AGENTS = {a.harness: a for a in (Claude(), Codex(), OpenCode(), Pi(), Gemini(), Qwen(), Copilot())}
