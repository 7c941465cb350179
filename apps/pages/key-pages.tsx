import type { UserKey } from "@svc/core/user-keys";
import type { OwnConnection } from "@svc/core/users";
import { Day, Field, Notice, PostForm } from "./parts.tsx";
import { type Page, show } from "./visit.ts";

/* A person's own keys for their storage in an App. */

interface KeysProps {
	readonly connection: OwnConnection;
	readonly keys: readonly UserKey[];
	readonly token: string;
	/** A key that has just been made; its secret is on this page and nowhere else. */
	readonly made?: { readonly name: string; readonly secret: string };
	readonly name?: string | undefined;
	readonly fault?: string | undefined;
	readonly notice?: string | undefined;
	readonly status?: number;
}

export function keysPage({ connection, keys, token, made, name, fault, notice, status = 200 }: KeysProps): Page {
	const { app } = connection;
	const path = `/account/apps/${app.id}/keys`;
	const body = (
		<>
			<div className="stack">
				<p className="small">
					<a href="/account">← Your account</a>
				</p>
				<h1>
					Your keys for <bdi>{app.name}</bdi>
				</h1>
				<p className="soft">
					A key lets a program of yours read your pictures in this App, for a copy of them say. It can never change or
					delete anything.
				</p>
			</div>
			{notice && <Notice>{notice}</Notice>}
			{made && <MadeKey {...made} />}
			<section className="card" aria-labelledby="keys">
				<h2 id="keys">Keys</h2>
				{keys.length === 0 ? (
					<p className="soft">You have no key here.</p>
				) : (
					<ul className="rows">
						{keys.map((key) => (
							<KeyRow key={key.id} record={key} path={path} token={token} />
						))}
					</ul>
				)}
			</section>
			<section className="card" aria-labelledby="new">
				<h2 id="new">Make a key</h2>
				<PostForm action={path} token={token}>
					<Field
						name="name"
						label="Name"
						hint="To know it by, such as “Backup at home”."
						fault={fault}
						input={{ type: "text", maxLength: 100, required: true, autoComplete: "off", defaultValue: name ?? "" }}
					/>
					<div>
						<button className="primary" type="submit">
							Make a key that reads
						</button>
					</div>
				</PostForm>
			</section>
		</>
	);
	return show(`Your keys for ${app.name}`, body, { wide: true, status });
}

function MadeKey({ name, secret }: { readonly name: string; readonly secret: string }) {
	return (
		<section className="card" aria-labelledby="made">
			<div className="stack" role="status">
				<h2 id="made">
					The key “<bdi>{name}</bdi>” is made
				</h2>
				<p>
					Copy it now: <strong>it is never shown again.</strong>
				</p>
			</div>
			<code className="secret">{secret}</code>
		</section>
	);
}

interface KeyRowProps {
	readonly record: UserKey;
	readonly path: string;
	readonly token: string;
}

function KeyRow({ record, path, token }: KeyRowProps) {
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{record.name}</bdi>
				</h3>
				<p>
					<code>
						{record.prefix}…{record.last4}
					</code>{" "}
					· {record.permissions.has("write") ? "reads and writes" : "reads"} · made <Day ms={record.createdMs} /> ·{" "}
					{record.lastUsedMs === null ? (
						"never used"
					) : (
						<>
							last used <Day ms={record.lastUsedMs} />
						</>
					)}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`${path}/${record.id}/revoke`} token={token}>
					<button className="quiet slim" type="submit" aria-label={`Revoke ${record.name}`}>
						Revoke
					</button>
				</PostForm>
			</div>
		</li>
	);
}
