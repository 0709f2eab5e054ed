"""What the loop's client makes of an environment server with faults; prints a line of JSON. No trainer is imported."""

import asyncio
import json
import os
import time

from aiohttp import web
from coa_loop import Environment, FailuresFile, RolloutFailure, Sampled, note_failure, play

LIMITS = {"max_response_tokens": 4000, "max_step_tokens": 4000, "max_seconds": 60}
DESCRIBED = {"limits": LIMITS, "profiles": {"p": {"stop": ["</s>", "</answer>"]}}}
SCORE = {"score": 1, "parts": {}, "unscored": None}


class Letters:
    """A tokenizer of a token a character."""

    eos_token_id, unk_token_id, all_special_ids = 0, None, [0]

    def encode(self, text, **_):
        return [ord(letter) for letter in text]

    def decode(self, ids, **_):
        return "".join(map(chr, ids))

    def convert_tokens_to_ids(self, _):
        return None


class Server:
    """Does what `faults` says, one after the other, and then answers well."""

    def __init__(self, port=0, faults=()):
        self.port, self.faults, self.asked = port, list(faults), []

    async def __aenter__(self):
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        self.runner = web.AppRunner(app, shutdown_timeout=0)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self.runner.addresses[0][1]
        return self

    async def __aexit__(self, *_):
        await self.runner.cleanup()

    def client(self, **settings):
        return Environment(f"http://127.0.0.1:{self.port}", pause_s=0.01, **settings)

    async def answer(self, request):
        self.asked.append(request.path)
        fault = self.faults.pop(0) if self.faults else None
        if fault == "cut":
            request.transport.abort()
        if fault == "latin":
            return web.Response(status=502, body=b"Passerelle d\xe9faillante", content_type="text/html")
        if fault == "slow":
            await asyncio.sleep(0.2)
        if isinstance(fault, list):
            return web.json_response(fault[0])
        if request.path == "/v1/environment":
            return web.json_response(DESCRIBED)
        if request.path == "/v1/score":
            return web.json_response(SCORE)
        segments = (await request.json())["segments"]
        ended = {"kind": "end", "reason": "answer", "answer": "x", "events": []}
        observation = {"kind": "observation", "text": "found ", "events": []}
        return web.json_response(ended if "</answer>" in segments[-1]["text"] else observation)


async def rollout(environment, on_turn=None):
    turns = ["<s>a</s>", "<answer>x</answer>"]

    async def sample(_ids, _stops, _most):
        text = turns.pop(0)
        if on_turn:
            await on_turn(text)
        return Sampled(Letters().encode(text))

    try:
        played = await play(
            task_id="t",
            profile="p",
            prompt_ids=[1],
            sample=sample,
            environment=environment,
            tokenizer=Letters(),
            max_response_tokens=4000,
        )
        return f"{played.score} {''.join(piece.text for piece in played.pieces)}"
    except RolloutFailure as failure:
        return f"{failure.kind} {failure.cause}"


async def together():
    """Fifty begin at once; one of them is given up while all wait for the description."""
    async with Server(faults=["slow"]) as server:
        environment = server.client()
        tasks = [asyncio.create_task(rollout(environment)) for _ in range(50)]
        await asyncio.sleep(0.05)
        tasks[0].cancel()
        results = await asyncio.gather(*tasks[1:])
        await environment.close()
        return {"described": server.asked.count("/v1/environment"), "results": sorted(set(results))}


async def with_faults(*faults, retries=5):
    async with Server(faults=[None, *faults]) as server:
        environment = server.client(retries=retries)
        result = await rollout(environment)
        await environment.close()
        return result


async def restarted():
    """Gone when the second generation ends, and back a moment later, at the same port."""
    first = await Server().__aenter__()
    environment, back = first.client(), []

    async def on_turn(text):
        if "answer" not in text:
            return
        await first.__aexit__()

        async def come_back():
            await asyncio.sleep(0.03)
            back.append(await Server(first.port).__aenter__())

        back.append(asyncio.create_task(come_back()))

    result = await rollout(environment, on_turn)
    await environment.close()
    await back[1].__aexit__()
    return result


async def dead():
    async with Server() as server:
        environment = server.client(retries=2)
    began = time.monotonic()
    results = await asyncio.gather(*(rollout(environment) for _ in range(50)))
    await environment.close()
    return {"results": sorted(set(results)), "quick": time.monotonic() - began < 5}


async def crossed(fault):
    """Every third answer comes twice, later once more, with the one before in its place, or not at all."""
    state = {"count": 0, "before": b""}

    async def serve(reader, writer):
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode().lower():
                length = int(head.split("content-length: ")[1].split("\r\n")[0])
                number = json.loads(await reader.readexactly(length))["response_tokens"]
                id = head.split("x-request-id: ")[1].split("\r\n")[0]
                body = json.dumps({**SCORE, "score": number}).encode()
                named = f"content-type: application/json\r\nx-request-id: {id}\r\ncontent-length: {len(body)}"
                answer = f"HTTP/1.1 200 OK\r\n{named}\r\n\r\n".encode() + body
                state["count"] += 1
                if state["count"] % 3 == 2:
                    if fault == "lost":
                        break
                    if fault == "shifted":
                        answer, state["before"] = state["before"], answer
                    if fault == "twice":
                        answer += answer
                    if fault == "later":
                        asyncio.get_running_loop().call_later(0.004, writer.write, answer)
                state["before"] = answer
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    environment = Environment(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", retries=0, timeout_s=5)
    said = []
    for number in range(30):
        try:
            said.append((await environment.score({"response_tokens": number}))["score"] == number)
        except RolloutFailure:
            said.append("failed")
        await asyncio.sleep(0.002)
    await environment.close()
    server.close()
    return {"right": said.count(True) >= 10, "moved": said.count(False)}


def noted():
    """A line that a kill or a full disk cut off, between two that are whole."""
    os.environ["COA_RL_FAILURES"] = path = "failures.jsonl"
    failures = FailuresFile(path)
    note_failure(RolloutFailure("tool", "down", "first"), "t", 1)
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"time": 1, "st\n')
    note_failure(RolloutFailure("unscored", "judge", "second"), "t", 1)
    return [failures.unscored(), failures.first(False), failures.first(True)]


async def main():
    return {
        "together": await together(),
        "cut": await with_faults("cut", "cut"),
        "cut_always": await with_faults("cut", "cut", retries=1),
        "latin": await with_faults("latin"),
        "list": await with_faults([[1]]),
        "other_kind": await with_faults([{"kind": "pause"}]),
        "restarted": await restarted(),
        "dead": await dead(),
        **{fault: await crossed(fault) for fault in ("twice", "later", "shifted", "lost")},
        "noted": noted(),
    }


print(json.dumps(asyncio.run(main())))
