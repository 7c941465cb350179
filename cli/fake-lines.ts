import { isBranch, type Leaf, type Node } from "./leaf.ts";
import { TREE } from "./tree.ts";

/** A command with the words that lead to it. */
export interface Command {
	readonly path: readonly string[];
	readonly leaf: Leaf;
}

/** Words as a shell would make them: quotes keep one together. */
export function shellWords(line: string): string[] {
	return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), (match) => match[1] ?? match[2] ?? "");
}

/** Every command of the tree, for tests that walk over it. */
export async function everyCommand(node: Node = TREE, path: readonly string[] = []): Promise<readonly Command[]> {
	if (!isBranch(node)) return [{ path, leaf: await node.load() }];
	const below = Object.entries(node.commands).map(([name, child]) => everyCommand(child, [...path, name]));
	return (await Promise.all(below)).flat();
}
