import type { CompletionRequest } from '../../contract/textModels.ts';
import type { RenderedBeginning, TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import { completionServerOf, type PlayerConfig } from '../../schemas/config/player.ts';

/**
 * Prompt members of a request in the server's form. A chat's last turn is the open assistant turn; before the first
 * step the server opens it.
 */
export function promptOf(
  player: PlayerConfig,
  { text, ids }: RenderedBeginning,
  { system, user }: Pick<TrajectoryBeginning, 'system' | 'user'>,
  written: string,
): Pick<CompletionRequest, 'from' | 'fields'> {
  const { prompt, fields, continuesTurn } = completionServerOf(player);
  if (player.api === 'completions') return { from: { prompt: prompt === 'ids' ? ids : text }, fields };
  const asked: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  if (written === '') return { from: { messages: asked }, fields };
  const messages: ChatMessage[] = [...asked, { role: 'assistant', content: written }];
  return { from: { messages }, fields: { ...fields, ...continuesTurn } };
}
