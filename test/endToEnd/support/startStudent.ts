import { setTimeout as delay } from 'node:timers/promises';
import { goesOn } from '../../teachers/support/player.ts';
import { startTinyServer } from '../../teachers/support/startTinyServer.ts';

/** Searches of a game before its answer: as many as the profile `mhqa` wants of a kept trajectory. */
const SEARCHES = 3;

/** A student that plays the tasks of `createProject`, each in its own way. */
export async function startStudent(latencyMs = 0) {
  return startTinyServer(async ({ body }) => {
    await delay(latencyMs);
    const prompt = String(body.prompt);
    const town = Number(/Question: Which river flows past town number (\d+)\?/.exec(prompt)?.[1]);
    const calls = prompt.split('</observation>\n\n').length - 1;
    return goesOn(stepOf(town, calls));
  });
}

function stepOf(town: number, calls: number): string {
  const plan = calls === 0 ? '<think>One hop.</think>\n<plan>Look it up.</plan>\n' : '';
  if (calls < SEARCHES) {
    const aside = town === 7 && calls === 1 ? 'Well then. ' : '';
    return `${plan}${aside}<think>I look for the river.</think>\n<wiki_search>town ${town} part ${calls}</wiki_search>\n`;
  }
  if (town === 5) return '<think>I give up.</think>\n';
  const answer = town % 4 === 0 ? 'the sea' : `river ${town}`;
  return `<think>It says so.</think>\n<answer>${answer}</answer>`;
}
