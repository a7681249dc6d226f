/**
 * Turns the vectors so that the first dimensions carry as much of the meaning of tools as possible. Products of
 * vectors stay the same; fewer of the first dimensions would make a smaller table.
 */

const SWEEPS = 12;

/** `examples` and `vectors` are rows of as many dimensions. Turns the vectors in place. */
export function rotate(
  vectors: Float32Array,
  examples: readonly Float32Array[],
  dimensions: number,
): void {
  const { values, axes } = principalAxes(moments(examples, dimensions), dimensions);
  const order = values
    .map((value, axis) => ({ value, axis }))
    .sort((a, b) => b.value - a.value || a.axis - b.axis);
  const turned = new Float64Array(dimensions);
  for (let at = 0; at < vectors.length; at += dimensions) {
    for (const [to, { axis }] of order.entries()) {
      let product = 0;
      for (let i = 0; i < dimensions; i++)
        product += vectors[at + i]! * axes[i * dimensions + axis]!;
      turned[to] = product;
    }
    vectors.set(turned, at);
  }
}

/** The mean products of every two dimensions. */
function moments(examples: readonly Float32Array[], n: number): Float64Array {
  const sums = new Float64Array(n * n);
  for (const example of examples)
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) sums[i * n + j]! += example[i]! * example[j]!;
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) sums[j * n + i] = sums[i * n + j]!;
  return sums.map((sum) => sum / examples.length);
}

/** The eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's method. */
function principalAxes(matrix: Float64Array, n: number): { values: number[]; axes: Float64Array } {
  const axes = new Float64Array(n * n);
  for (let i = 0; i < n; i++) axes[i * n + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) turnPlane(matrix, axes, n, p, q);
  return { values: Array.from({ length: n }, (_, i) => matrix[i * n + i]!), axes };
}

/** One rotation, after which the value at (p, q) is 0. */
function turnPlane(
  matrix: Float64Array,
  axes: Float64Array,
  n: number,
  p: number,
  q: number,
): void {
  const shared = matrix[p * n + q]!;
  if (shared === 0) return;
  const angle = (matrix[q * n + q]! - matrix[p * n + p]!) / (2 * shared);
  const tangent = (angle < 0 ? -1 : 1) / (Math.abs(angle) + Math.sqrt(angle * angle + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const mix = (values: Float64Array, at: number, to: number): void => {
    const [a, b] = [values[at]!, values[to]!];
    values[at] = cosine * a - sine * b;
    values[to] = sine * a + cosine * b;
  };
  for (let i = 0; i < n; i++) mix(matrix, i * n + p, i * n + q);
  for (let i = 0; i < n; i++) mix(matrix, p * n + i, q * n + i);
  for (let i = 0; i < n; i++) mix(axes, i * n + p, i * n + q);
}
