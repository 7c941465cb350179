import { digestIfReadable, digestOfFile } from "@svc/base/crypto/digest";
import { Damaged } from "../failures.ts";
import type { MasterFile, Order } from "../orders.ts";

/**
 * Reads the masters of an order through before anything is made of them; one that has copies not before its own pixels are needed.
 * @throws Damaged for one that is not what it should be
 */
export async function compareMasters(order: Order): Promise<void> {
	const isLater = order.kind === "render" && order.copies.length > 0;
	const files = [
		...("master" in order && !isLater ? [order.master] : []),
		...("layers" in order ? Object.values(order.layers) : []),
	];
	for (const file of files) await compare(file);
}

/** @throws Damaged */
export async function compare({ path, bytes, sha256 }: MasterFile): Promise<void> {
	if (sha256 === undefined) return;
	const found = await digestIfReadable(digestOfFile(path));
	if (found?.bytes !== bytes || found.sha256 !== sha256) throw new Damaged(path);
}
