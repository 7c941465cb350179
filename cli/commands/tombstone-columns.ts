import type { Tombstone } from "@svc/sdk/types";
import type { Column } from "../table.ts";

/** What is left of things that are gone. */
export const TOMBSTONE_COLUMNS: readonly Column<Tombstone>[] = [
	{ name: "id", value: (tombstone) => tombstone.id },
	{ name: "deleted", value: (tombstone) => tombstone.deleted },
];
