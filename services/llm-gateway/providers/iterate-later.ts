/**
 * Iterates over what `open` resolves with; `open` is called with the first item asked for, and its error is that item's. An
 * async generator with `yield*` would do the same at the cost of several promises per item.
 */
export function iterateLater<T>(open: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      let opened: AsyncIterator<T> | undefined;
      const first = async () => {
        opened = (await open())[Symbol.asyncIterator]();
        return opened.next();
      };
      return {
        next: () => opened?.next() ?? first(),
        return: async () => {
          await opened?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
