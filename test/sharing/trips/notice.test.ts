import { describe, expect, it } from 'vitest';
import { Notice } from '../../../src/sharing/trips/notice.ts';

describe('a notice', () => {
  it('is told once where it was raised once', async () => {
    const notice = new Notice();
    let told = 0;
    const tell = (): Promise<void> => notice.tell(async () => void told++);
    await tell();
    notice.raise();
    await tell();
    await tell();
    expect(told).toBe(1);
    expect(notice.isDue).toBe(false);
  });

  it('remains due if telling it fails', async () => {
    const notice = new Notice();
    notice.raise();
    await expect(notice.tell(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(notice.isDue).toBe(true);
  });

  it('remains due if it is raised again while it is told', async () => {
    const notice = new Notice();
    notice.raise();
    await notice.tell(async () => notice.raise());
    expect(notice.isDue).toBe(true);
  });
});
