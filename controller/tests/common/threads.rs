/// So many threads, new ones each time.
pub(crate) struct Threads(pub(crate) usize);

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for index in 0..count {
                scope.spawn(move || work(index));
            }
        });
    }
}
