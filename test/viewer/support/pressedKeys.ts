import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses keys on a page, and knows which of them its help shows. */
export class PressedKeys {
  readonly #page: Page;
  readonly #pressed = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses a key and waits for its sign, a selector, which was not there before. */
  async press(key: string, sign: string): Promise<void> {
    expect(await this.#page.locator(sign).count(), `${sign} before ${key}`).toBe(0);
    await this.#page.keyboard.press(key);
    await this.#page.locator(sign).first().waitFor();
    this.#pressed.add(key);
  }

  /** Opens the help of the page and expects exactly the keys that have been pressed. */
  async expectAll(): Promise<void> {
    await this.press('?', 'dialog[open]');
    const shown = await this.#page.locator('dialog kbd').allInnerTexts();
    await this.#page.keyboard.press('Escape');
    await this.#page.locator('dialog').waitFor({ state: 'hidden' });
    expect([...this.#pressed].sort(), this.#page.url()).toEqual(shown.sort());
    this.#pressed.clear();
  }
}
