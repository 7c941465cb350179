import type { AppKey } from "./app-keys.ts";
import { toAppKey } from "./app-keys-store.ts";

/** The key in the data of its event. */
export function readKeyEvent({ object }: Readonly<Record<string, unknown>>): AppKey {
	const { createdBy, ...key } = object as Parameters<typeof toAppKey>[0]["key"] & { readonly createdBy: string };
	return toAppKey({ key, createdBy });
}
