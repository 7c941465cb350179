"use client";

import { useActionState } from "react";
import { upload } from "./actions.js";

export function UploadForm() {
	const [fault, action, isPending] = useActionState(upload, "");
	return (
		<>
			<form className="upload" action={action}>
				<label>
					Picture <input type="file" name="file" accept="image/*" required />
				</label>
				<label>
					What it shows <input name="caption" maxLength={500} required />
				</label>
				<button type="submit" className="primary" disabled={isPending}>
					Upload
				</button>
			</form>
			<p className="bad" role="status">
				{isPending ? "One moment …" : fault}
			</p>
		</>
	);
}
