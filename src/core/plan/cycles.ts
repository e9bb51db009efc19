type Edges = readonly (readonly number[])[];

/**
 * The cycles of a graph: of each knot of nodes that all reach each other, one shortest way from its first node back to it.
 * `edges[n]` are the nodes that n points to. Linear in nodes and edges, and without recursion.
 */
export function findCycles(edges: Edges): readonly (readonly number[])[] {
  const knots = knotsOf(edges);
  const first = new Map<number, number>();
  knots.forEach((knot, node) => {
    if (!first.has(knot)) first.set(knot, node);
  });
  return [...first.values()].flatMap((node) => {
    const way = wayBack(edges, knots, node);
    return way ? [way] : [];
  });
}

/** Breadth first, inside the node's own knot. */
function wayBack(
  edges: Edges,
  knots: readonly number[],
  start: number,
): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of edges[node] ?? []) {
      if (next === start) return pathTo(node, cameFrom, start);
      if (knots[next] !== knots[start] || cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(end: number, cameFrom: ReadonlyMap<number, number>, start: number): number[] {
  const path = [end];
  for (let node = end; node !== start;) {
    node = cameFrom.get(node) ?? start;
    path.push(node);
  }
  return path.reverse();
}

/** Strongly connected components by Kosaraju's two walks; gives a number for each node's. */
function knotsOf(edges: Edges): readonly number[] {
  const left: number[] = [];
  const seen = new Set<number>();
  for (const node of edges.keys()) walk(edges, node, seen, (last) => left.push(last));
  const back = reversed(edges);
  const knots: number[] = [];
  const found = new Set<number>();
  for (const node of left.reverse()) {
    walk(back, node, found, (member) => {
      knots[member] = node;
    });
  }
  return knots;
}

/** Depth first from a node through all that is not seen yet; `leave` gets each node after those that it leads to. */
function walk(edges: Edges, root: number, seen: Set<number>, leave: (node: number) => void): void {
  if (seen.has(root)) return;
  seen.add(root);
  const path = [{ node: root, next: 0 }];
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const to = edges[step.node]?.[step.next];
    step.next += 1;
    if (to === undefined) {
      leave(step.node);
      path.pop();
    } else if (!seen.has(to)) {
      seen.add(to);
      path.push({ node: to, next: 0 });
    }
  }
}

function reversed(edges: Edges): Edges {
  const back: number[][] = edges.map(() => []);
  edges.forEach((targets, node) => {
    for (const target of targets) back[target]?.push(node);
  });
  return back;
}
