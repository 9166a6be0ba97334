const megabyte = 1024 * 1024;

/** These leave room for every honest document and end the others soon. */
export const usualLimits = {
  timeMs: 60_000,
  /** The heap; buffers outside of it are limited where the system supports that. */
  memoryMb: 512,
  textBytes: 10 * megabyte,
  unpackedBytes: 64 * megabyte,
  pages: 2_000,
  /** Per text: a hostile one could split into a million. */
  chunks: 25_000,
};

export type ExtractionLimits = typeof usualLimits;

export function inMegabytes(bytes: number): string {
  const megabytes = bytes / megabyte;
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`;
}
