import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * A dialog that is open from its first appearance, before the next key press, which is for it. When it is gone, the focus is back
 * where it was: an open dialog that is only removed does not give it back.
 */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return dialog;
}
