import type { NumberField, TextField } from "./field.ts";

/** What is wrong with a text; undefined if nothing is. Lengths count code points, as JSON Schema does. */
export function readText(field: TextField, text: string): string | undefined {
  const length = Array.from(text).length;
  if (length < field.minLength) return `Enter at least ${field.minLength} characters.`;
  if (length > field.maxLength) return `Enter no more than ${field.maxLength} characters.`;
  return undefined;
}

export interface NumberReading {
  readonly value: number;
  readonly problem: string | undefined;
}

export function readNumber(field: NumberField, text: string): NumberReading {
  const value = text.trim() === "" ? NaN : Number(text);
  return { value, problem: numberProblem(field, value, text) };
}

function numberProblem(field: NumberField, value: number, text: string): string | undefined {
  const { isInteger, minimum, maximum, isAboveMinimum, isBelowMaximum, multipleOf } = field;
  if (!Number.isFinite(value)) return "Enter a number.";
  // The digits that JavaScript keeps are fewer than those of the text.
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/i.test(text))
    return "Too many digits. To send all of them, use “Edit as JSON”.";
  if (isInteger && !Number.isInteger(value)) return "Enter a whole number.";
  if (isAboveMinimum ? value <= minimum : value < minimum)
    return `Enter a number ${isAboveMinimum ? "above" : "of at least"} ${minimum}.`;
  if (isBelowMaximum ? value >= maximum : value > maximum)
    return `Enter a number ${isBelowMaximum ? "below" : "of at most"} ${maximum}.`;
  const steps = multipleOf === undefined ? 0 : value / multipleOf;
  if (multipleOf !== undefined && Math.abs(steps - Math.round(steps)) > 1e-9)
    return `Enter a multiple of ${multipleOf}.`;
  return undefined;
}
