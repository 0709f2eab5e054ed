import PQueue from 'p-queue';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Tool, ToolChatModel, ToolResult } from '../../contract/tool.ts';
import { type FetchLimits, fetchPage, throwOwnFailure } from '../fetch/fetchPage.ts';
import { cutAnswer, describedTool, type InputRule } from '../parseToolInput.ts';
import {
  type CheckedImage,
  checkImage,
  type FoundBytes,
  type ImageRules,
  notFound,
  tooManyBytes,
} from './checkImage.ts';
import { inspectionPrompt } from './inspectionPrompt.ts';
import { type ImageFolder, readImageFile } from './readImageFile.ts';

const inspectionSchema = z.strictObject({
  file_path: z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(4_096)
    .describe('Path of an image in the folder of images, or its http or https address'),
  question: z
    .string()
    .trim()
    .max(8_000)
    .optional()
    .describe('What to look for; without it, the image is described'),
});

const inspectionInput: InputRule<z.infer<typeof inspectionSchema>> = {
  schema: inspectionSchema,
  example: '{"file_path": "path or http(s) address of an image", "question": "what to look for"}',
};

/** Image sources and the model that inspects them. */
export interface VisualInspectorOptions extends ImageRules {
  readonly model: ToolChatModel;
  /** Undefined if local files are not allowed. */
  readonly folder: ImageFolder | undefined;
  /** Undefined if fetching is not allowed. */
  readonly web: ImageWeb | undefined;
  /** Maximum bytes of an image; 32 may be in memory at once. */
  readonly maxBytes: number;
  /** Maximum characters shown of an answer, with a notice if cut. */
  readonly maxChars: number;
}

/**
 * The `visual_inspector` tool: a multimodal model describes an image. Missing and invalid images are reported to the
 * agent; a failing endpoint is the model's `RecordFailure`.
 */
export function createVisualInspector(options: VisualInspectorOptions): Tool {
  const description = 'Looks at an image and answers a question about it, or describes it.';
  const turns = new PQueue({ concurrency: MAX_IMAGES });
  return {
    ...describedTool('visual_inspector', description, inspectionInput),
    call(input, signal, work) {
      const { file_path, question } = input as z.infer<typeof inspectionSchema>;
      const inspect = async (): Promise<ToolResult> => {
        const image = await findImage(options, file_path, signal);
        if (!image.ok) return notAccessible(file_path, image.reason);
        const answer = await ask(options, image, { question, signal, work });
        return {
          observation: cutAnswer(answer, options.maxChars),
          raw: { ...rawOf(file_path, image), answer },
        };
      };
      return turns.add(inspect, { signal });
    },
  };
}

/** Maximum images in memory. */
const MAX_IMAGES = 32;

function notAccessible(file_path: string, reason: string): ToolResult {
  return { observation: `[Image not accessible: ${reason}]`, raw: { file_path, reason } };
}

async function findImage(
  options: VisualInspectorOptions,
  path: string,
  signal: AbortSignal,
): Promise<ReturnType<typeof checkImage>> {
  const found = await findBytes(options, path, signal);
  return found.ok ? checkImage(found.bytes, options) : found;
}

/** Prefix of a URL; such text is never a file name. */
const scheme = /^([a-z][a-z\d+.-]*):/i;

async function findBytes(
  { folder, web }: VisualInspectorOptions,
  path: string,
  signal: AbortSignal,
): Promise<FoundBytes> {
  const protocol = scheme.exec(path)?.[1]?.toLowerCase();
  if (protocol === undefined) {
    return folder ? readImageFile(folder, path) : notFound('there are no local images; give a web address');
  }
  if (protocol !== 'http' && protocol !== 'https')
    return notFound('only http and https addresses can be opened');
  return web ? fetchImage(web, path, signal) : notFound('web addresses are not opened here');
}

interface Inspection {
  readonly question: string | undefined;
  readonly signal: AbortSignal;
  readonly work: TaskWork | undefined;
}

async function ask(
  { model }: VisualInspectorOptions,
  { header, bytes }: CheckedImage,
  { question, signal, work }: Inspection,
): Promise<string> {
  const url = `data:image/${header.format};base64,${bytes.toString('base64')}`;
  const content = [
    { type: 'text', text: inspectionPrompt(question) } as const,
    { type: 'image_url', image_url: { url } } as const,
  ];
  const request = { messages: [{ role: 'user', content } as const], sampling: model.sampling };
  const answer = await model.chat.chat(request, signal, work && { work, role: 'tool' });
  const text = answer.content?.trim() ?? '';
  if (text !== '') return text;
  const { model: name } = model.chat;
  const message = `visual_inspector: ${name} answered without words`;
  throw new RecordFailure('malformed_answer', message, { tool: 'visual_inspector', model: name });
}

/** Cached form of a call: the image's hash, never its bytes. */
function rawOf(file_path: string, { header, bytes }: CheckedImage): JsonObject {
  return { file_path, sha256: sha256Hex(bytes), bytes: bytes.length, ...header };
}

/** Options for fetching images. */
interface ImageWeb {
  readonly dispatcher: Dispatcher;
  readonly limits: FetchLimits;
  /** Hosts served by our own server: its failure is not the agent's fault. */
  readonly ownHosts: ReadonlySet<string>;
}

/**
 * Fetches an image. Errors are returned for the agent; only a failure of our own server is thrown.
 * @throws RecordFailure (`tool_unavailable`)
 */
async function fetchImage(
  { dispatcher, limits, ownHosts }: ImageWeb,
  address: string,
  signal: AbortSignal,
): Promise<FoundBytes> {
  const url = URL.parse(address);
  if (!url) return notFound('it is not a valid web address');
  if (url.username !== '' || url.password !== '') {
    return notFound('a web address must not hold a user or password');
  }
  const page = await fetchPage(url.href, limits, dispatcher, signal);
  if (page.kind === 'page') {
    return page.cut ? tooManyBytes(limits.maxBytes) : { ok: true, bytes: Buffer.from(page.bytes) };
  }
  throwOwnFailure('visual_inspector', page, ownHosts);
  return notFound(page.reason);
}
