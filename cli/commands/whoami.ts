import type { Key } from "@svc/sdk/types";
import { EXIT } from "../exit.ts";
import { defineLeaf } from "../leaf.ts";
import type { Column } from "../table.ts";

interface Identity extends Key {
	readonly base_url: string;
	readonly source: string;
}

const COLUMNS: readonly Column<Identity>[] = [
	{ name: "id", value: (key) => key.id },
	{ name: "name", value: (key) => key.name },
	{ name: "key", value: (key) => `${key.prefix}…${key.last4}` },
	{ name: "reach", value: (key) => key.reach },
	{ name: "permissions", value: (key) => key.permissions.join(",") },
	{ name: "app", value: (key) => key.app.id },
	{ name: "app_name", value: (key) => key.app.name },
	{ name: "expires_at", value: (key) => key.expires_at ?? "never" },
	{ name: "base_url", value: (key) => key.base_url },
	{ name: "source", value: (key) => key.source },
];

export const whoami = defineLeaf({
	summary: "Show the key in use and what it reaches",
	examples: ["svc whoami", "svc whoami --field app.name"],
	args: {},
	async run(_given, { client, credentials, out, world }) {
		const key = await (await client()).key.get({ signal: world.signal });
		const { baseUrl, source } = await credentials();
		await out.record(COLUMNS, { ...key, base_url: baseUrl, source });
		return EXIT.ok;
	},
});
