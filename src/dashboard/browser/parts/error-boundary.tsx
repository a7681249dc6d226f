import { Component, type ComponentChildren } from "preact";
import { asProblem } from "../net/api-problem.ts";
import { Failure } from "./failure.tsx";

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
}

/** Shows that a page failed, instead of nothing at all. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div class="page">
        <h1>This page cannot be shown</h1>
        <Failure problem={asProblem(error)} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}
