import type { JsonObject } from '../../base/json.ts';
import type { TaskWork } from '../../contract/calls.ts';
import type { ChatModel, ChatRequest } from '../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../contract/errors.ts';
import { askAgain, dataText } from '../../contract/prompting.ts';
import type { ToolChatModel, ToolGoal } from '../../contract/tool.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import {
  pageSummaryJsonSchema,
  type ReadSummary,
  readSummary,
  renderSummary,
  summaryPrompts,
} from './pageSummary.ts';
import { shownText } from './pageText.ts';

/** Purpose of reading a page. */
export interface CrawlGoal extends ToolGoal {
  /** Search query. */
  readonly query?: string;
  /** Wanted information, derived from the agent's thinking. */
  readonly intent?: string;
}

/**
 * Summarises pages with a model. Both methods throw the model's errors, and `RecordFailure` (`malformed_answer`)
 * after the last request.
 */
export interface PageSummariser {
  /** Goal with an intent derived from the thinking, if enabled; otherwise unchanged. */
  withIntent(goal: CrawlGoal, signal: AbortSignal, work?: TaskWork): Promise<CrawlGoal>;
  /** Summary of the page for the goal, as shown to an agent. */
  summarise(
    page: { readonly url: string; readonly text: string },
    goal: CrawlGoal | undefined,
    signal: AbortSignal,
    work?: TaskWork,
  ): Promise<string>;
}

/** Model of the summary, and its options. */
export interface PageSummariserOptions {
  readonly openModel: () => Promise<ToolChatModel>;
  /** True if the model is first asked for the agent's intent. */
  readonly clickIntent: boolean;
}

/** Maximum requests for a usable summary. */
const MAX_ASKS = 2;
/**
 * Maximum halvings of a page that exceeds the model's context: escaped, a text of signs can have six times the
 * counted tokens.
 */
const MAX_HALVINGS = 5;
/** Maximum characters of the thinking that are sent, from its end. */
const THINKING_CHARS = 4_000;
const INTENT_CHARS = 1_000;

/** Creates a summariser; its model is opened with the first page. */
export function createPageSummariser({ openModel, clickIntent }: PageSummariserOptions): PageSummariser {
  return {
    async withIntent(goal, signal, work) {
      if (!clickIntent || !goal.thinking?.trim()) return goal;
      const { chat, sampling } = await openModel();
      const messages = [system(summaryPrompts.intent), user(goalData(goal))];
      const { content } = await chat.chat({ messages, sampling }, signal, scopeOf(work));
      const intent = content?.trim().slice(0, INTENT_CHARS);
      return intent ? { ...goal, intent: intent.toWellFormed() } : goal;
    },

    async summarise({ url, text }, goal, signal, work) {
      const model = await openModel();
      let [page, chars] = [text, text.length];
      for (let halvings = 0; ; halvings++) {
        try {
          return await summaryOf({ ...goalData(goal), url, page }, model, signal, work);
        } catch (error) {
          if (!isTooLong(error) || halvings === MAX_HALVINGS) throw error;
          chars = Math.floor(chars / 2);
          page = shownText({ text, cut: true }, chars);
        }
      }
    },
  };
}

async function summaryOf(
  data: JsonObject & { readonly page: string },
  { chat, sampling }: ToolChatModel,
  signal: AbortSignal,
  work: TaskWork | undefined,
): Promise<string> {
  const response_schema = { name: 'page_summary', schema: pageSummaryJsonSchema };
  let messages: readonly ChatMessage[] = [system(summaryPrompts.summary), user(data)];
  for (let asks = 1; ; asks++) {
    const request = { messages, response_schema, sampling };
    const { content, read, failure } = await askOnce(chat, request, signal, work);
    if (read.ok) return renderSummary(read.summary, data.page);
    if (asks === MAX_ASKS) throw failure ?? malformed(chat.model, read.error);
    messages = askAgain(messages, { content, error: read.error }, 'with the JSON object alone');
  }
}

/** Sends one request; `failure` is that of a truncated or filtered answer. */
async function askOnce(
  chat: ChatModel,
  request: ChatRequest,
  signal: AbortSignal,
  work: TaskWork | undefined,
): Promise<{ content: string | null; read: ReadSummary; failure?: RecordFailure }> {
  try {
    const { content } = await chat.chat(request, signal, scopeOf(work));
    return { content, read: readSummary(content) };
  } catch (error) {
    if (!(error instanceof WithheldAnswer) || !error.askAgain) throw error;
    return { content: error.content, read: { ok: false, error: error.askAgain }, failure: error };
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof RecordFailure && error.failure.cause === 'context_exceeded';
}

function scopeOf(work: TaskWork | undefined) {
  return work && { work, role: 'tool' as const };
}

function goalData(goal: CrawlGoal | undefined): JsonObject {
  if (!goal) return {};
  const { question, query, thinking, intent } = goal;
  return {
    ...(question && { question }),
    ...(query && { query }),
    ...(intent ? { intent } : thinking && { thinking: thinking.slice(-THINKING_CHARS).toWellFormed() }),
  };
}

function system(content: string): ChatMessage {
  return { role: 'system', content };
}

function user(data: JsonObject): ChatMessage {
  return { role: 'user', content: dataText(data) };
}

function malformed(model: string, error: string): RecordFailure {
  const message = `crawl_page: the summary of ${model} could not be used after ${MAX_ASKS} asks: ${error}`;
  return new RecordFailure('malformed_answer', message.replace(/\s+/g, ' '), { tool: 'crawl_page', model });
}
