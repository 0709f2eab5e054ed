import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startHttpServer } from '../../tools/support/startHttpServer.ts';

/** What a slot holds, as in llama-server. */
interface Slot {
  prompt: string;
  isBusy: boolean;
  lastUsed: number;
  /** Whose requests it worked on, in their order. */
  readonly tasks: string[];
}

interface SlotServerOptions {
  /** Answers the requests. */
  readonly upstream: string;
  readonly slots: number;
  /** Whether `GET /props` says so. */
  readonly tells?: boolean;
  /** Milliseconds for an answer, besides those that reading a prompt takes. */
  readonly answerMs?: number;
  /** Characters that are read in a millisecond. */
  readonly charactersAMs?: number;
  /** Names the task of a request by its texts. */
  readonly taskOf: (prompt: string) => string;
}

/** Below this share of a prompt llama-server takes no slot for what it holds, but the one used longest ago. */
const MIN_SIMILARITY = 0.1;

/**
 * Starts a server that keeps a prefix cache a slot as llama-server does: a request waits for its `id_slot`, otherwise
 * for any idle slot, and goes to the one that holds most of its beginning, or to the one that was used longest ago.
 */
export async function startSlotServer(options: SlotServerOptions) {
  const { upstream, answerMs = 2, charactersAMs = 1_000, taskOf } = options;
  const slots = Array.from(
    { length: options.slots },
    (): Slot => ({ prompt: '', isBusy: false, lastUsed: 0, tasks: [] }),
  );
  const seen = { requests: 0, propsAsked: 0, sent: 0, uncached: 0, waited: 0, mostWaiting: 0 };
  let waiting: { tries(): boolean }[] = [];
  let used = 0;

  function pick(prompt: string, wanted: number): Slot | undefined {
    if (wanted >= 0) return slots[wanted]?.isBusy === false ? slots[wanted] : undefined;
    const idle = slots.filter(({ isBusy }) => !isBusy);
    const similar = idle
      .map((slot) => ({ slot, share: sharedStart(slot.prompt, prompt) / prompt.length }))
      .filter(({ share }) => share > MIN_SIMILARITY)
      .sort((a, b) => b.share - a.share);
    return similar[0]?.slot ?? idle.sort((a, b) => a.lastUsed - b.lastUsed)[0];
  }

  function takeSlot(prompt: string, wanted: number): Promise<Slot> {
    return new Promise((resolve) => {
      const tries = () => {
        const slot = pick(prompt, wanted);
        if (!slot) return false;
        slot.isBusy = true;
        resolve(slot);
        return true;
      };
      if (tries()) return;
      waiting.push({ tries });
      seen.waited += 1;
      seen.mostWaiting = Math.max(seen.mostWaiting, waiting.length);
    });
  }

  function giveBack(slot: Slot): void {
    slot.isBusy = false;
    slot.lastUsed = ++used;
    waiting = waiting.filter((waiter) => !waiter.tries());
  }

  async function complete(body: string): Promise<{ status: number; json: string }> {
    const { messages, id_slot = -1 } = JSON.parse(body);
    const prompt = messages
      .map(({ role, content }: Record<string, unknown>) => `<${role}>${content}`)
      .join('\n');
    const slot = await takeSlot(prompt, id_slot);
    try {
      const uncached = prompt.length - sharedStart(slot.prompt, prompt);
      seen.requests += 1;
      seen.sent += prompt.length;
      seen.uncached += uncached;
      slot.tasks.push(taskOf(prompt));
      slot.prompt = prompt;
      await delay(answerMs + uncached / charactersAMs);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${upstream}/chat/completions`, { method: 'POST', headers, body });
      return { status: answer.status, json: await answer.text() };
    } finally {
      giveBack(slot);
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isProps = request.url === '/props';
    if (isProps) seen.propsAsked += 1;
    const body = await text(request);
    const { status, json } =
      request.method === 'POST'
        ? await complete(body)
        : {
            status: isProps && options.tells ? 200 : 404,
            json: JSON.stringify({ total_slots: slots.length }),
          };
    response.writeHead(status, { 'content-type': 'application/json' }).end(json);
  }

  const { baseUrl, close } = await startHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return {
    baseUrl: `${baseUrl}/v1`,
    seen,
    /** Tasks that came back to a slot after another one had it in between. */
    interleaved: () => slots.reduce((sum, { tasks }) => sum + returnsOf(tasks), 0),
    close,
  };
}

function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function returnsOf(tasks: readonly string[]): number {
  const had = new Set<string>();
  let returns = 0;
  for (const [at, task] of tasks.entries()) {
    if (task !== tasks[at - 1] && had.has(task)) returns += 1;
    had.add(task);
  }
  return returns;
}
