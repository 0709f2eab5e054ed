/** Room that was taken for an image. */
export interface ImageShare {
  /** Gives back what the image turned out not to need. */
  shrinkTo(bytes: number): void;
  release(): void;
}

/** Bounds the bytes of images that are in memory at once, however many agents want theirs seen. First come, first served. */
export class ImageRoom {
  #free: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];

  /** @param bytes - Of all images together */
  constructor(bytes: number) {
    this.#free = bytes;
  }

  /**
   * Waits until there is room for an image of so many bytes, which must not be more than there are.
   *
   * @throws the signal's reason when it is aborted
   */
  async take(bytes: number, signal: AbortSignal): Promise<ImageShare> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || bytes > this.#free) await this.#turn(bytes, signal);
    else this.#free -= bytes;
    let held = bytes;
    const shrinkTo = (left: number): void => {
      this.#free += held - left;
      held = left;
      this.#admit();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  #turn(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(place), 1);
        reject(signal.reason);
        this.#admit();
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const place = { bytes, enter };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(place);
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.enter();
    }
  }
}
