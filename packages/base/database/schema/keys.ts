import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { KEY_REACHES } from "../../enumerations.ts";
import { accounts } from "./accounts.ts";
import { apps, storages } from "./apps.ts";
import { among, bytes } from "./columns.ts";

export const keys = sqliteTable(
	"keys",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		reach: text({ enum: KEY_REACHES }).notNull(),
		/** What the key reaches without a selected user. */
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk),
		creatorPk: integer("creator_pk")
			.notNull()
			.references(() => accounts.pk),
		name: text().notNull(),
		/** Bits: 1 read, 2 write. */
		permissions: integer().notNull(),
		/** SHA-256 of the secret. */
		hash: bytes().notNull().unique(),
		prefix: text().notNull(),
		last4: text().notNull(),
		/** Id of the key that a rotation made. */
		replacedBy: text("replaced_by"),
		expiresMs: integer("expires_ms"),
		lastUsedMs: integer("last_used_ms"),
		revokedMs: integer("revoked_ms"),
		revokedBy: text("revoked_by"),
		revokeReason: text("revoke_reason"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("keys_app").on(table.appPk, table.pk),
		index("keys_team").on(table.appPk, table.pk).where(sql.raw("reach <> 'user'")),
		index("keys_storage").on(table.storagePk),
		index("keys_creator").on(table.creatorPk).where(sql.raw("revoked_ms IS NULL")),
		check("keys_reach", among("reach", KEY_REACHES)),
		check("keys_permissions", sql.raw("permissions BETWEEN 1 AND 3")),
		check("keys_hash", sql.raw("length(hash) = 32")),
	],
);
