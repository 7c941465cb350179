import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { presets, signingKeys } from "@svc/base/database/schema/delivery";
import { sql } from "drizzle-orm";

/** What the addresses of an App's images are read with. */
export interface FoundRules {
	/** Of which version they are: read with them, in one statement. */
	readonly version: number;
	/** Parameters by the name of a preset. */
	readonly presets: Readonly<Record<string, Readonly<Record<string, string>>>>;
	readonly secrets: readonly string[];
}

export function rulesStore({ queries, read }: Database, keyring: Pick<Keyring, "open">) {
	return {
		/** Undefined where there is no such App. */
		async find(appPk: number): Promise<FoundRules | undefined> {
			const [row] = await read(() =>
				queries.values<[number, string, string]>(sql`SELECT ${apps.deliveryVersion},
					(SELECT json_group_object(${presets.name}, json(${presets.parameters})) FROM ${presets}
						WHERE ${presets.appPk} = ${apps.pk}),
					(SELECT json_group_object(${signingKeys.id}, ${signingKeys.secret}) FROM ${signingKeys} WHERE ${signingKeys.appPk} = ${apps.pk})
					FROM ${apps} WHERE ${apps.pk} = ${appPk}`),
			);
			if (!row) return undefined;
			const sealed = Object.entries<string>(JSON.parse(row[2]));
			const secrets = sealed.map(([id, text]) => keyring.open(text, SEALED_PLACES.signingKey(id)));
			return { version: row[0], presets: JSON.parse(row[1]), secrets };
		},
	};
}
