/** A unit vector, rotated away from the first axis by the given angle in radians. */
export function turned(dimensions: number, angle: number): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = Math.cos(angle);
  vector[1] = Math.sin(angle);
  return vector;
}

/** A pseudorandom unit vector, the same for the same number. */
export function numberedVector(dimensions: number, seed: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, at) =>
    Math.sin((seed + 1) * (at + 1) * 12.9898),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
