import type { OwnConnection, OwnStorage } from "@svc/connect/users";
import { Alert, count, Field, PostForm, pictures } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";

/* Deleting one's own account. */

interface DeleteProps {
	readonly email: string;
	readonly token: string;
	readonly connections: readonly OwnConnection[];
	/** Undefined where people have no storage of their own. */
	readonly own: OwnStorage | undefined;
	readonly fault?: string | undefined;
	/** Why the account cannot be deleted at present. */
	readonly obstacle?: string | undefined;
	readonly status?: number;
}

export function deletePage({ email, token, connections, own, fault, obstacle, status = 200 }: DeleteProps): Page {
	const body = (
		<div className="card">
			<h1>Delete your account?</h1>
			{obstacle && <Alert answers>{obstacle}</Alert>}
			<p>
				{connections.length === 0 ? "No App is connected to you. " : leaving(connections)}
				<strong>This cannot be undone.</strong>
			</p>
			{own && (
				<p>Your own storage goes as well, with {pictures(own.images, own.bytes)}, and the keys to it stop working.</p>
			)}
			<PostForm action="/account/delete" token={token}>
				<Field
					name="email"
					label="Type your e-mail address to confirm"
					hint={<bdi>{email}</bdi>}
					fault={fault}
					input={{ type: "email", autoComplete: "off", autoCapitalize: "none", maxLength: 254, required: true }}
				/>
				<div className="actions">
					<button className="final" type="submit">
						Delete my account
					</button>
					<a className="button quiet" href="/account">
						Keep my account
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show("Delete your account", body, { status });
}

function leaving(connections: readonly OwnConnection[]): string {
	const images = connections.reduce((sum, connection) => sum + connection.images, 0);
	const bytes = connections.reduce((sum, connection) => sum + connection.bytes, 0);
	const [them, plans] = connections.length === 1 ? ["It keeps", "A plan"] : ["They keep", "Plans"];
	return `You are disconnected from ${count(connections.length, "App")}. ${
		images === 0
			? `${them} no pictures for you`
			: `${them} ${pictures(images, bytes)} for you, and all of it is deleted`
	}. ${plans} that you pay for there ${connections.length === 1 ? "ends" : "end"} at once. `;
}

export function deletedPage(): Page {
	const body = (
		<div className="card">
			<h1>Your account is being deleted</h1>
			<p>
				You are signed out. Your pictures are being deleted now, and then your address is forgotten. Nothing else is
				needed from you.
			</p>
		</div>
	);
	return show("Your account is being deleted", body);
}
