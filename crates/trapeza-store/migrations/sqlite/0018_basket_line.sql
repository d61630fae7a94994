-- A basket's lines in the basket's own row (the store's own form, see basket/line.rs), so that a basket is one row to
-- write and one to read. NULL where there are none.
ALTER TABLE basket ADD COLUMN lines TEXT;
UPDATE basket SET lines = (
    SELECT '1' || group_concat(
        coalesce(octet_length(number) || ':' || number, '~')
        || octet_length(name) || ':' || name
        || octet_length(quantity) || ':' || quantity
        || coalesce(octet_length(quantity_units) || ':' || quantity_units, '~')
        || unit_price_minor || ';'
        || coalesce(octet_length(tax_rate) || ':' || tax_rate, '~')
        || total_minor || ';'
        || coalesce(discount_minor || ';', '~')
        || coalesce(tax_minor || ';', '~')
        || coalesce(octet_length(url) || ':' || url, '~')
        || coalesce(octet_length(image_url) || ':' || image_url, '~'),
        '' ORDER BY place)
    FROM basket_product WHERE basket_product.basket = basket.number
) WHERE product_count > 0;
ALTER TABLE basket DROP COLUMN product_count;
DROP TABLE basket_product;
