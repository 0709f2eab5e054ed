/** A page's bytes, or why there are none. `service` failures are those of the connection or the server itself. */
export type FetchedPage =
  | {
      readonly kind: 'page';
      /** After redirects. */
      readonly url: URL;
      readonly contentType: string;
      readonly bytes: Uint8Array;
      /** True when the page is longer than the limit. */
      readonly cut: boolean;
    }
  | InaccessiblePage;

/** Why a page can't be had, in words that follow "not accessible:". */
export interface InaccessiblePage {
  readonly kind: 'inaccessible';
  readonly reason: string;
  readonly url: URL;
  readonly service: boolean;
  /** The answer's HTTP status, where there was one. */
  readonly status?: number;
}
