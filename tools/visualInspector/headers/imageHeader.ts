import type { ImageFormat } from '../../../schemas/config/tools/visualInspector.ts';

/** What the first bytes of an image say of it, whatever its name is. */
export interface ImageHeader {
  readonly format: ImageFormat;
  /** In pixels, at least 1. */
  readonly width: number;
  /** In pixels, at least 1. */
  readonly height: number;
  /** Pictures of an animation, at least 1. */
  readonly frames: number;
}
