import type { Scratch } from "./scratch.ts";

/**
 * Rows as they were written after the migration of each place: raw SQL, since today's code does not know yesterday's tables.
 * A new migration adds its own entry for the tables that it makes.
 */
const POPULATION: Readonly<Record<number, readonly string[]>> = {
	0: [
		"INSERT INTO accounts (pk, id, email, email_norm, status, created_ms) VALUES (1, 'acc_1', 'A@example.com', 'a@example.com', 'active', 1)",
		"INSERT INTO operators VALUES (1, NULL, 1)",
		"INSERT INTO apps (pk, id, name, name_fold, created_ms) VALUES (1, 'app_1', 'First', 'first', 1)",
		"INSERT INTO app_usage (app_pk, images, bytes) VALUES (1, 1, 10)",
		"INSERT INTO members VALUES (1, 1, 'owner', 1)",
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (1, 'sto_1', 1, 'app', NULL, 'team1', 'active', 1, 10, 1)",
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (2, 'sto_2', 1, 'user', 1, 'team2', 'active', 0, 0, 1)",
		`INSERT INTO connections (pk, id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms, ended_ms)
			VALUES (1, 'con_1', 'usr_1', 1, 1, 2, 'connected', 'a@example.com', 1, 1, NULL)`,
		"INSERT INTO monthly_usage (storage_pk, month, uploads) VALUES (1, '2026-11', 1)",
		`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, created_ms)
			VALUES ('key_1', 1, 'app', 1, 1, 'Default', 3, zeroblob(32), 'svc_sk_test_', 'aaaa', 1)`,
		"INSERT INTO sessions (hash, id, account_pk, kind, expires_ms, created_ms) VALUES (zeroblob(32), 'ses_1', 1, 'pat', 2, 1)",
		`INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key,
			published_ms, created_ms, labels) VALUES ('img_1', 1, 1, 'ready', 'a.jpg', 'jpg', 1, 1, 10, zeroblob(32), 'b1', 1, 1, '{"k":"v"}')`,
		"INSERT INTO image_labels VALUES (1, 'k', 'v', 1, 1, NULL)",
		`INSERT INTO idempotency (storage_pk, key_hash, fingerprint, image_id, claim, state, lease_ms, recovery, created_ms, expires_ms)
			VALUES (1, x'01', x'02', 'img_1', 'nonce', 'done', 1, NULL, 1, 2)`,
		"INSERT INTO blobs VALUES ('b1', 'live', 1)",
		"INSERT INTO jobs (id, kind, payload, state, run_ms, created_ms) VALUES ('job_1', 'sweep', '{}', 'queued', 1, 1)",
		"INSERT INTO audit (at_ms, actor, event) VALUES (1, 'acc_1', 'app.created')",
		"INSERT INTO meta VALUES ('k', 'v')",
	],
	1: ["INSERT INTO image_facts VALUES ('b1', 'faces', CAST('[]' AS BLOB), 1)"],
	2: [
		"INSERT INTO redirect_uris VALUES (1, 'red_1', 1, 'https://app.example/callback', 1)",
		`INSERT INTO invites (id, app_pk, email, email_norm, role, token_hash, created_by_pk, expires_ms, created_ms)
			VALUES ('inv_1', 1, 'b@example.com', 'b@example.com', 'viewer', zeroblob(32), 1, 2, 1)`,
		`INSERT INTO logins (id, purpose, secret_hash, email, email_norm, code_mac, device, budget, sent_ms, expires_ms, created_ms)
			VALUES ('log_1', 'console', zeroblob(32), 'a@example.com', 'a@example.com', zeroblob(32), 'cli', 'b', 1, 2, 1)`,
		"INSERT INTO exchange_codes VALUES (zeroblob(32), 1, 1, 2, NULL)",
		"INSERT INTO throttles VALUES ('b', 1, 2)",
		"INSERT INTO reports (id, image_id, app_pk, reason, ip_hash, created_ms) VALUES ('rep_1', 'img_1', 1, 'spam', x'01', 1)",
		"INSERT INTO moderation_actions (id, image_id, app_pk, actor, action, created_ms) VALUES ('mod_1', 'img_1', 1, 'acc_1', 'lock', 1)",
		"INSERT INTO emails (id, template, recipient, facts, next_ms, created_ms) VALUES ('eml_1', 'code', 'a@example.com', '{}', 1, 1)",
	],
	3: [
		`INSERT INTO plans (pk, id, app_pk, key, name, description, benefits, display_order, archived_ms, revision, created_ms)
			VALUES (1, 'pln_1', 1, 'gold', 'Gold', '', '[]', 0, NULL, 1, 1)`,
		"INSERT INTO prices VALUES (1, 'prc_1', 1, 499, 'usd', 'month', 0, 1, 1)",
		"INSERT INTO processor_refs VALUES ('simulated', 'prc_1', 'sim_price_1', 1)",
		`INSERT INTO checkouts (id, subject, app_pk, connection_pk, price_pk, processor, ref, started_by, created_ms)
			VALUES ('chk_1', 'user', 1, 1, 1, 'simulated', 'r', 'acc_1', 1)`,
		`INSERT INTO subscriptions (pk, id, subject, app_pk, connection_pk, price_pk, processor, ref, status, period_start_ms,
			period_end_ms, cancel_at_period_end, started_ms, synced_ms, created_ms)
			VALUES (1, 'sub_1', 'user', 1, 1, 1, 'simulated', 'r', 'active', 1, 2, 0, 1, 1, 1)`,
		"INSERT INTO trial_grants VALUES (1, zeroblob(32), 'trial', 1)",
		`INSERT INTO invoices (pk, id, subscription_pk, ref, status, amount_due, amount_paid, amount_refunded, currency, created_ms)
			VALUES (1, 'ivc_1', 1, 'r', 'paid', 499, 499, 0, 'usd', 1)`,
		"INSERT INTO processor_events (processor, id, type, subscription_ref, received_ms, done_ms) VALUES ('simulated', 'e', 'renewed', 'r', 1, NULL)",
		"INSERT INTO sim_objects VALUES ('price', 'r', 1, NULL, '{}')",
		"INSERT INTO sim_clock VALUES (1, 0)",
	],
	4: [
		`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms, tier, public_by_default)
			VALUES ('sto_4', 1, 'personal', 1, 'team4', 'active', 1, 'scale', 1)`,
	],
	7: ["INSERT INTO damaged_blobs VALUES ('b1', 'digest', 1, 1)"],
	8: ["INSERT INTO commits VALUES ('slot', 1, 1)"],
	11: [
		"INSERT INTO address_changes VALUES ('abc', 1, 'a@example.com', 'a@example.com', 'b@example.com', NULL, 2, 1)",
		"INSERT INTO security_letters VALUES ('abc', 1, 'token', 'tok_1', '{}', NULL, NULL, 2, 1)",
	],
	12: [
		`INSERT INTO replays (hash, caller, fingerprint, request_id, changed, lease_ms, status, body, expires_ms)
			VALUES (zeroblob(32), 'acc_1', zeroblob(32), 'req_1', 1, 1, 201, '{}', 2)`,
	],
	14: ["INSERT INTO plan_grants VALUES (1, 'grt_1', 1, 1, 1, 2, 'support', 'acc_1', NULL, 1)"],
	15: ["INSERT INTO part_health VALUES ('mail', 1, NULL, 'no answer', 1, NULL)"],
	17: ["INSERT INTO unsold_subscriptions (subscription_pk, since_ms) VALUES (1, 1)"],
	22: [
		"INSERT INTO passkeys VALUES (1, 'psk_1', 1, x'01', x'02', 0, '', 'Phone', NULL, 1)",
		"INSERT INTO passkey_options VALUES ('pko_1', 'add', zeroblob(32), 1, 'ses_1', 2, 1)",
	],
	26: ["INSERT INTO limit_notices VALUES (1, 'images', 80, 1)"],
	29: [
		"INSERT INTO processes (pk, id, version, host, started_ms, beat_ms, steady_ms, draining, blobs_work, skew_ms) VALUES (1, 'p1', '0.1.0', 'here', 1, 1, 1, 0, 1, 0)",
		"INSERT INTO purges VALUES (1, 'b1', 1)",
	],
	30: ["INSERT INTO events VALUES (1, 'evt_1', 1, NULL, 'image.created', 'img_1', '{}', NULL, 1)"],
	31: [
		`INSERT INTO presets VALUES (1, 'pre_1', 1, 'thumb', '{"w":"300"}', 1)`,
		"INSERT INTO signing_keys VALUES (1, 'sgk_1', 1, 'web', 'svc_sig_1', 'last', 1)",
	],
	33: ["INSERT INTO deleted_images VALUES ('img_9', 1, 'img_9/b', 1, '{}')"],
	34: [
		`INSERT INTO upload_tickets (id, hash, app_pk, storage_pk, maker, maker_kind, state, image_id, max_bytes, formats, fields,
			created_ms, expires_ms, ended_ms)
			VALUES ('upt_1', zeroblob(32), 1, 1, 'key_1', 'key', 'open', 'img_2', 1, '["jpg"]', '{}', 1, 2, 2)`,
	],
	36: [
		"INSERT INTO webhook_endpoints (id, app_pk, url, types, secret, place, created_ms) VALUES ('whe_1', 1, 'https://a.example', '[\"*\"]', 's', 0, 1)",
		`INSERT INTO webhook_deliveries (id, endpoint_pk, event_id, type, state, created_ms)
			VALUES ('whd_1', 1, 'evt_1', 'image.created', 'failed', 1)`,
	],
	37: [
		"INSERT INTO imports VALUES (1, 'job_1', 1, 1, NULL, 'key_1', 'key', NULL, 1)",
		`INSERT INTO import_items (import_pk, place, url, fields, image_id, state)
			VALUES (1, 0, 'https://example.com/a.jpg', '{}', 'img_9', 'queued')`,
	],
	38: ["INSERT INTO daily_usage VALUES (1, 20780, 1, 2, 3, 4)"],
	39: ["INSERT INTO told_statuses VALUES (1, 'sto_1', '{}', NULL, 0, NULL)"],
	41: ["INSERT INTO purge_target (pk) VALUES (1)", "INSERT INTO waiting_purges (tag, created_ms) VALUES ('img_1', 1)"],
	45: ["INSERT INTO image_words VALUES (1, 'cat', 1)"],
	46: [
		"INSERT INTO image_jobs (id, storage_pk, session_id, filter, act, newest_pk) VALUES ('job_1', 1, 'ses_1', '{}', '{}', 1)",
		"INSERT INTO image_job_items VALUES (1, 1, 'img_1')",
	],
	47: ["INSERT INTO delivery_days VALUES (1, 1, 10, 1, NULL)"],
	48: [
		`INSERT INTO blocked_pictures (image_id, reason, blob_key, format, width, height, sha256, blocked_ms)
			VALUES ('img_9', 'spam', 'b9', 'jpg', 1, 1, zeroblob(32), 1)`,
		"INSERT INTO likeness_bands VALUES (1, 1, 1, 2)",
	],
	49: [
		"INSERT INTO scan_verdicts VALUES (zeroblob(32), 'pass', 'spam', 1)",
		"INSERT INTO scans (image_id) VALUES ('img_1')",
	],
	50: [
		"UPDATE apps SET image_host = 'img.example.com', image_host_state = 'verified', image_host_value = 'v', image_host_asked_ms = 1 WHERE pk = 1",
		"INSERT INTO ended_image_hosts VALUES ('old.example.com', 1)",
	],
	51: [
		`INSERT INTO app_imports (pk, id, file, app_id, installation, images, state, touched_ms, created_ms)
			VALUES (1, 'imp_1', zeroblob(32), 'app_9', 'ins_1', 1, 'importing', 1, 1)`,
		"INSERT INTO app_import_records (import_pk, kind, id, data, sha256) VALUES (1, 'image', 'img_9', '{}', zeroblob(32))",
		"UPDATE connections SET pending_ms = 1 WHERE pk = 1",
	],
};

/** Writes the rows of one place. */
export async function populate(scratch: Pick<Scratch, "sql">, place: number): Promise<void> {
	for (const text of POPULATION[place] ?? []) await scratch.sql(text);
}
