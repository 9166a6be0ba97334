export interface ExtractionLimits {
  timeMs: number;
  /** What the program itself may hold; buffers beside it are bounded where the system can do so. */
  memoryMb: number;
  textBytes: number;
  unpackedBytes: number;
  pages: number;
  /** Of one text: a hostile one could come apart into a million. */
  chunks: number;
}

const megabyte = 1024 * 1024;

/** An upload has at most 5 MB; these leave room for all that is honest and end the rest soon. */
export const usualLimits: ExtractionLimits = {
  timeMs: 60_000,
  memoryMb: 512,
  textBytes: 10 * megabyte,
  unpackedBytes: 64 * megabyte,
  pages: 2_000,
  chunks: 25_000,
};

export function inMegabytes(bytes: number): string {
  const megabytes = bytes / megabyte;
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`;
}
