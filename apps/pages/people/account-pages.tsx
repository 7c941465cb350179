import type { OwnConnection } from "@svc/connect/users";
import type { ReactNode } from "react";
import { Alert, count, Name, Notice, PostForm, pictures } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* The pages of a person's own account. */

interface AccountProps {
	readonly email: string;
	readonly token: string;
	readonly notice: string | undefined;
	/** The sections, each with its id. */
	readonly children: ReactNode;
}

export function accountPage({ children, ...head }: AccountProps): Page {
	const body = (
		<>
			<div className="stack">
				<h1>Your account</h1>
				<SignedIn {...head} />
			</div>
			{children}
		</>
	);
	return show("Your account", body, { wide: true });
}

/** One section on a page of its own. */
export function sectionPage(
	title: string,
	{ children, ...head }: AccountProps,
	{ status = 200, headers = {} }: Partial<Pick<Page, "status" | "headers">> = {},
): Page {
	const body = (
		<>
			<div className="stack">
				<p className="small">
					<a className="back" href="/account">
						← Your account
					</a>
				</p>
				<h1>{title}</h1>
				<SignedIn {...head} />
			</div>
			{children}
		</>
	);
	return show(title, body, { wide: true, status, headers });
}

function SignedIn({ email, token, notice }: Omit<AccountProps, "children">) {
	return (
		<>
			<div className="others">
				<p className="soft">
					Signed in as <Name>{email}</Name>
				</p>
				<PostForm action="/account/sign-out" token={token}>
					<button className="plain" type="submit">
						Sign out
					</button>
				</PostForm>
			</div>
			{notice && <Notice answers>{notice}</Notice>}
		</>
	);
}

export const deleteSection: Section = {
	id: "delete",
	title: "Delete your account",
	elsewhere: true,
	show: async () => (
		<SectionCard id="delete" title="Delete your account">
			<p className="soft">Disconnects you from every App and deletes all your pictures there, for good.</p>
			<p>
				<a className="button danger slim" href="/account/delete">
					Delete your account…
				</a>
			</p>
		</SectionCard>
	),
};

export function disconnectPage({ app, images, bytes }: OwnConnection, token: string): Page {
	const body = (
		<div className="card">
			<h1>
				Disconnect <bdi>{app.name}</bdi>?
			</h1>
			<Alert>
				{images === 0
					? "It keeps no pictures for you at present."
					: `${pictures(images, bytes)}: everything that it keeps for you is deleted.`}{" "}
				This cannot be undone.
			</Alert>
			<p className="soft">
				<Name>{app.name}</Name> can no longer reach your storage, and your own keys for it stop working. A plan that you
				pay it for ends at once. Should you connect again, you start empty.
			</p>
			<PostForm action={`/account/apps/${app.id}/disconnect`} token={token}>
				<div className="actions">
					<button className="final" type="submit">
						{images === 0 ? "Disconnect" : `Disconnect and delete ${count(images, "picture")}`}
					</button>
					<a className="button quiet" href="/account">
						Stay connected
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(`Disconnect ${app.name}`, body);
}
