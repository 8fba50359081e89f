type OnHeight = (height: number) => void;

const viewListeners = new Set<() => void>();
const heightListeners = new WeakMap<Element, OnHeight>();
let observer: ResizeObserver | undefined;

function tellViewListeners(): void {
  for (const listener of viewListeners) listener();
}

/** One observer for all, so that heights are known before what is in view is found from them. */
function sharedObserver(): ResizeObserver {
  observer ??= new ResizeObserver((changes) => {
    for (const { target, borderBoxSize } of changes) {
      const [size] = borderBoxSize;
      if (size !== undefined) heightListeners.get(target)?.(size.blockSize);
    }
    tellViewListeners();
  });
  return observer;
}

/** Calls `listener` whenever what is in view may have changed; returns a function that ends that. */
export function onViewChange(listener: () => void): () => void {
  if (viewListeners.size === 0) {
    sharedObserver().observe(document.body);
    window.addEventListener("scroll", tellViewListeners, { passive: true });
    window.addEventListener("resize", tellViewListeners);
  }
  viewListeners.add(listener);
  return () => {
    viewListeners.delete(listener);
    if (viewListeners.size > 0) return;
    sharedObserver().unobserve(document.body);
    window.removeEventListener("scroll", tellViewListeners);
    window.removeEventListener("resize", tellViewListeners);
  };
}

/** Calls `listener` with the height of an element when that changes, without causing a layout; returns a function that ends that. */
export function onHeightChange(element: Element, listener: OnHeight): () => void {
  heightListeners.set(element, listener);
  sharedObserver().observe(element);
  return () => sharedObserver().unobserve(element);
}
