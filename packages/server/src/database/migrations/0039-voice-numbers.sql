-- With and without a plus it is the same number, and nobody else may register the other form.
create unique index voice_numbers_one_per_digits on voice_numbers (ltrim(phone_number, '+'));
