export interface ExtractionLimits {
  timeMs: number;
  /** The heap; buffers outside of it are limited where the system supports that. */
  memoryMb: number;
  textBytes: number;
  unpackedBytes: number;
  pages: number;
  /** Per text: a hostile one could split into a million. */
  chunks: number;
}

const megabyte = 1024 * 1024;

/** These leave room for every honest document and end the others soon. */
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
