/** A request shows only the latest images, because each costs as much as a long text. */
export const maxShownImages = 5;

/** An image for a model. Neither logs nor traces nor estimates contain its data, which is not a property. */
export class ModelImage {
  readonly mediaType: string;
  readonly bytes: number;
  readonly #base64: string;

  constructor(mediaType: string, base64: string) {
    this.mediaType = mediaType;
    this.bytes = Math.floor((base64.length * 3) / 4);
    this.#base64 = base64;
  }

  base64(): string {
    return this.#base64;
  }

  dataUrl(): string {
    return `data:${this.mediaType};base64,${this.#base64}`;
  }
}
