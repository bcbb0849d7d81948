/**
 * Frees the memory of a chunk now, which nobody reads any more. The garbage collector would free it tens of megabytes later,
 * because it does not count memory outside of its heap; without this a crawl of gigabytes needs far more memory than one of
 * kilobytes. Chunks are read in order, so the chunk at the end of an ArrayBuffer is the last that uses it. What may be a part
 * of the pool that Node shares among small buffers is left alone.
 */
export function freeChunk(chunk: Buffer): void {
  const memory = chunk.buffer;
  if (!(memory instanceof ArrayBuffer) || memory.byteLength < 32_768) return;
  const isShared = memory.byteLength === Buffer.poolSize && chunk.length < memory.byteLength;
  if (!isShared && chunk.byteOffset + chunk.length === memory.byteLength) memory.transfer(0);
}
