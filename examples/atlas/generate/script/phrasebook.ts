import type { Random } from '../world/random.ts';

/** Gives a different one of the phrases each time, until all have been used. */
export type Phrases<Bank extends string> = (bank: Bank, slots?: Readonly<Record<string, string>>) => string;

/**
 * A voice that says things from banks of phrases. `{slot}` is filled, with a capital for `{Slot}`; `{{name}}` is left
 * to the teacher, who knows the value only when a tool has shown it.
 */
export function createPhrases<Bank extends string>(
  banks: Readonly<Record<Bank, readonly string[]>>,
  random: Random,
): Phrases<Bank> {
  const decks = new Map<Bank, string[]>();
  return (bank, slots = {}) => {
    const deck = decks.get(bank) ?? [];
    if (deck.length === 0) deck.push(...random.shuffle(banks[bank]));
    decks.set(bank, deck);
    return deck.pop()!.replace(/(?<!\{)\{(\w+)\}(?!\})/g, (_, slot: string) => fillSlot(slot, slots));
  };
}

/** The text with its first letter as a capital; values that are not known yet stay as they are. */
export function capitalised(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function fillSlot(slot: string, slots: Readonly<Record<string, string>>): string {
  const name = slot.toLowerCase();
  const value = slots[name];
  if (value === undefined) throw new Error(`no words for {${slot}}`);
  return slot === name ? value : capitalised(value);
}
