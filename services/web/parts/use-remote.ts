import { failureText } from "../api/client.ts";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** What is known of a value that the api has. */
export interface Remote<T> {
  /** The newest value; kept while it is read again and when that fails. */
  readonly value: T | undefined;
  /** Why the latest reading failed. */
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface RemoteOptions {
  /** Reads again after so many milliseconds, while the page is visible; by default never. */
  readonly every?: number | undefined;
}

interface LastAnswer<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
}

/** Reads a value when the component appears and when `key` changes; a reading that is not needed any more is cancelled. */
export function useRemote<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { every }: RemoteOptions = {},
): Remote<T> {
  const latest = useRef(read);
  latest.current = read;
  const isReading = useRef(false);
  const [round, setRound] = useState(0);
  const [known, setKnown] = useState<LastAnswer<T>>({
    key,
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  useEffect(() => {
    const stopping = new AbortController();
    setKnown((old) => ({
      key,
      value: old.key === key ? old.value : undefined,
      error: old.key === key ? old.error : undefined,
      isLoading: true,
    }));
    isReading.current = true;
    const load = async () => {
      try {
        const value = await latest.current(stopping.signal);
        if (stopping.signal.aborted) return;
        setKnown({ key, value, error: undefined, isLoading: false });
      } catch (error) {
        if (stopping.signal.aborted) return;
        setKnown((old) => ({ ...old, error: failureText(error), isLoading: false }));
      }
      isReading.current = false;
    };
    void load();
    return () => stopping.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => {
      // A slow answer is waited for, not begun again.
      if (document.visibilityState === "visible" && !isReading.current) reload();
    }, every);
    return () => clearInterval(timer);
  }, [every, reload]);
  const isOfKey = known.key === key;
  return {
    value: isOfKey ? known.value : undefined,
    error: isOfKey ? known.error : undefined,
    isLoading: !isOfKey || known.isLoading,
    reload,
  };
}
