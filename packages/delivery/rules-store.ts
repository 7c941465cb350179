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

export function rulesStore({ queries, read }: Database) {
	return {
		/** Undefined where there is no such App. */
		async find(appPk: number): Promise<FoundRules | undefined> {
			const [row] = await read(() =>
				queries.values<[number, string, string]>(sql`SELECT ${apps.deliveryVersion},
					(SELECT json_group_object(${presets.name}, json(${presets.parameters})) FROM ${presets}
						WHERE ${presets.appPk} = ${apps.pk}),
					(SELECT json_group_array(${signingKeys.secret}) FROM ${signingKeys} WHERE ${signingKeys.appPk} = ${apps.pk})
					FROM ${apps} WHERE ${apps.pk} = ${appPk}`),
			);
			return row && { version: row[0], presets: JSON.parse(row[1]), secrets: JSON.parse(row[2]) };
		},
	};
}
